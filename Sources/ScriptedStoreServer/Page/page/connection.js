// The connection: the socket to the server, and the events that it has still to see.
//
//   send ──▶ outbox (waits) ──pump──▶ outbox (was sent) ──"seen"──▶ gone
//
// Events stay in the outbox until the server has seen them. After a break, a page that goes on
// where it was sends them again.

const connection = (() => {
  const narrow = matchMedia("(max-width: 599px)");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  // The server would refuse faster events: as many in a time.
  const burst = 15, burstTime = 100;
  const patience = 300;
  // The code of a connection that has ended without one.
  const lostWithoutWord = 1006;

  let socket;
  // What the server has called this page, and the version of the page's files.
  let page, build;
  // The last event, and the last one that the server has seen.
  let count = 0, seen = 0;
  // The events that the server has not seen; those before `next` were sent.
  let outbox = [], next = 0;
  let room = burst;
  // The nodes of the events that were not seen, by number.
  const nodes = new Map();
  // Tells of the loss of the connection, a second later.
  let lossTimer;
  let tries = 0;
  // Where the page had its scroll, focus and caret before it was loaded again.
  let before = JSON.parse(sessionStorage.getItem("kept"));
  // The bar for development, once it is loaded.
  let development;

  const isOpen = () => socket?.readyState == WebSocket.OPEN;
  const isUnseen = event => event > seen;

  // ---- To the server

  const say = message => { if (isOpen()) socket.send(JSON.stringify(message)); };

  // Sends what a person has done with a node. Returns the number of the event; undefined if there
  // is no connection.
  function send(node, what) {
    if (!isOpen() && what.gesture != "type") {
      notices.show(notices.words.notConnected);
      if (node.control) controls.settle(node);
      return undefined;
    }
    outbox.push({n: ++count, at: frames.version, path: tree.pathOf(node), ...what});
    nodes.set(count, node);
    node.lastEvent = count;
    if (what.gesture == "tap") setTimeout(showWait, patience, node);
    pump();
    return count;
  }

  // The events of a node that the server has not seen are those of another one.
  function pass(node, other) {
    for (const [event, owner] of nodes) {
      if (owner != node) continue;
      nodes.set(event, other);
      other.lastEvent = event;
    }
  }

  // A button whose answer takes longer than a moment shows that it waits.
  function showWait({element, lastEvent}) {
    if (element && isUnseen(lastEvent)) element.ariaBusy = "true";
  }

  function pump() {
    if (!isOpen()) return;
    while (next < outbox.length && room) {
      if (room == burst) setTimeout(refill, burstTime);
      room--;
      say(outbox[next++]);
    }
  }

  function refill() {
    room = burst;
    pump();
  }

  // ---- From the server

  function hear(message) {
    if (Array.isArray(message)) {
      if (!show(message)) return;
    } else if (message.hello) {
      greet(message.hello);
    } else if (message.seen) {
      see(message.seen);
    } else if (message.refused) {
      refuse(message);
    } else if (message.failed) {
      frames.fail(message.failed);
    }
    development?.then(bar => bar?.hear(message, say));
  }

  // Returns false if the frame cannot be shown.
  function show(frame) {
    try {
      frames.apply(frame);
    } catch (problem) {
      // The tree is not the server's any more, so a new one is asked for.
      reportError(problem);
      page = null;
      socket.close();
      return false;
    }
    tries = 0;
    say({at: frames.version});
    if (before) scrollTo(0, before.scroll);
    focus.restore(before);
    before = null;
    return true;
  }

  function greet(hello) {
    if (build && build != hello.build) location.reload();
    ({page, build} = hello);
    icons.use(build);
    Object.assign(notices.words, hello.texts);
    document.documentElement.lang = notices.words.language;
    next = 0;
    if (hello.resumed) {
      see(hello.seen);
      pump();
      longLists.askAgain();
    } else {
      outbox = [];
      nodes.clear();
      count = seen = hello.seen;
    }
    clearTimeout(lossTimer);
    lossTimer = 0;
    notices.hide();
    if (hello.dev) development ??= import("/dev.js").catch(reportError);
  }

  function see(number) {
    const left = outbox.filter(event => event.n > number);
    next = Math.max(next - outbox.length + left.length, 0);
    outbox = left;
    seen = number;
    for (const [event, node] of nodes) {
      if (event > number) continue;
      nodes.delete(event);
      controls.seen(node);
      if (node.element && !isUnseen(node.lastEvent)) node.element.ariaBusy = null;
    }
    later.parts?.dragging.seen();
    later.parts?.drops.seen();
    focus.take();
  }

  function refuse({refused, again, message}) {
    const node = nodes.get(refused);
    if (!again) notices.show(message);
    if (node) controls.refused(node, again);
  }

  // ---- The socket

  const environment = () => ({
    width: narrow.matches ? "compact" : "regular", colorScheme: dark.matches ? "dark" : "light",
    locale: navigator.language,
  });

  function connect() {
    if (socket?.readyState < WebSocket.CLOSING) return;
    const {version} = frames;
    const known = page && version ? {page, at: version, seen} : {};
    const query = new URLSearchParams({...environment(), ...known});
    const mine = socket = new WebSocket("/live?" + query);
    mine.onmessage = ({data}) => { if (mine == socket) hear(JSON.parse(data)); };
    mine.onclose = ({code}) => { if (mine == socket) lose(code); };
  }

  function lose(code) {
    // Perhaps the browser is not let in any more, of which the page itself can say why.
    if (lossTimer) fetch("/").then(answer => answer.ok || location.reload(), () => {});
    lossTimer ||= setTimeout(() => notices.stay(notices.words.reconnecting), 1000);
    // After an error that the server names, trying again soon is of no use.
    const isRefused = code > 1001 && code < 1010 && code != lostWithoutWord;
    const pause = Math.min(200 * 2 ** tries, 8000) * (.5 + Math.random() / 2);
    if (!isRefused) tries++;
    setTimeout(connect, isRefused ? 3000 : pause);
  }

  function wake() {
    if (document.hidden) return;
    tries = 0;
    connect();
  }

  function start() {
    history.scrollRestoration = "manual";
    addEventListener("pagehide", () => {
      const {path = [], isRow, caret} = focus.remember() ?? {};
      sessionStorage.setItem("kept", JSON.stringify({path, isRow, caret, scroll: scrollY}));
    }, true);
    addEventListener("visibilitychange", wake, true);
    addEventListener("online", wake, true);
    narrow.onchange = dark.onchange = () => {
      say({env: environment()});
      longLists.askAgain();
    };
    connect();
  }

  return {send, pass, isUnseen, start, get page() { return page; }};
})();
