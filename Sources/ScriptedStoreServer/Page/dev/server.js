// The server, to which the bar speaks through the socket of the page.

const server = (() => {
  let send = () => {};

  return {
    connect: say => { send = say; },
    say: (dev, more) => send({dev, ...more}),
  };
})();
