// The effects in flight.

const effects = (() => {
  const {make, joined} = elements;
  const part = make("ul");

  function take(list) {
    part.replaceChildren(...list.map(effect => make("li", "", describe(effect))));
    if (!list.length) part.append(make("li", "dev-soft", "nothing is in flight"));
  }

  function describe({feature, action, origin, place, seconds, waitingOn}) {
    const time = `${Math.round(seconds * 10) / 10} s`;
    const waiting = waitingOn && `waiting on ${waitingOn}`;
    return joined(" · ", feature, action, origin, place, time, waiting);
  }

  return {part, take};
})();
