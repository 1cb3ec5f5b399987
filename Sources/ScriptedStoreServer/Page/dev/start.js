// What the page calls: the messages of the server, from its `hello` on.

export function hear({hello, dev}, say) {
  server.connect(say);
  if (hello) greet(hello);
  if (dev) take(dev);
  problems.follow();
}

function greet(hello) {
  problems.take([]);
  if (!hello.dev) return bar.remove();
  actions.clear();
  bar.show();
}

function take(news) {
  actions.take(news);
  if (news.history || news.entries) bar.draw();
  if (news.effects) {
    effects.take(news.effects);
    bar.countEffects(news.effects.length);
  }
  if (news.state) state.take(news.state);
  if (news.set) state.answer(news.set);
  if (news.calls) calls.take(news.calls);
  if (news.views) views.take(news.views);
  if (news.problems) problems.take(news.problems);
  if (news.message) messages.take(news.message);
  if (news.refused) messages.warn(news.refused);
  if (news.test) exportTest(news.test);
}

// The test is in the clipboard, and in a file that the browser saves.
function exportTest({name, source}) {
  navigator.clipboard?.writeText(source).catch(() => {});
  const file = URL.createObjectURL(new Blob([source]));
  elements.make("a", "", "", {href: file, download: name}).click();
}

// The bar is shown when its style sheet is there.
await new Promise(done => {
  const style = {rel: "stylesheet", href: "/dev.css", onload: done, onerror: done};
  document.head.append(elements.make("link", "", "", style));
});
