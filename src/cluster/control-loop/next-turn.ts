/** Lets requests and timers have their turn: reads and writes in process alone would never wait for anything. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
