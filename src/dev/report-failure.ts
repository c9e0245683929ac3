import { inspect } from "node:util";

/** How long the same trouble is told only once. */
const quiet = 30_000;

/** Tells of what a running cluster fails with: a full disk in a sentence, once in a while, the unforeseen in full. */
export function failureReporter(
  write: (text: string) => void,
  now: () => number = Date.now,
): (error: unknown) => void {
  let toldAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (!isDiskFull(error)) return write(`cluster: ${inspect(error)}\n`);
    if (now() - toldAt < quiet) return;
    toldAt = now();
    write(
      "cluster: the disk is full, so writes are refused and nothing is lost\nhint: make room: the cluster goes on by itself\n",
    );
  };
}

function isDiskFull(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  return code === "ENOSPC" || (cause !== undefined && isDiskFull(cause));
}
