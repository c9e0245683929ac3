/** Whether some work is done; false once a signal is aborted, and the work goes on by itself then. */
export function doneOrAborted(work: Promise<unknown>, signal: AbortSignal | undefined): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => resolve(false);
    if (signal?.aborted === true) giveUp();
    signal?.addEventListener("abort", giveUp, { once: true });
    work.then(() => resolve(true), reject).finally(() => signal?.removeEventListener("abort", giveUp));
  });
}
