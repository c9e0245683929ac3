/** Computes in one piece until the process has used the processor for so long; what other processes use doesn't count. */
export function useProcessor(milliseconds: number): void {
  const before = process.cpuUsage();
  for (let used = 0; used < milliseconds * 1000;) {
    const { user, system } = process.cpuUsage(before);
    used = user + system;
  }
}
