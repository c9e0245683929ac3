/** Allocates pod IPs from 10.244.0.1 up; no two pods share one. */
export class PodAddresses {
  #next = 1;

  /** Returns the next address that is not in use. */
  take(inUse: ReadonlySet<string>): string {
    for (;;) {
      const address = format(this.#next);
      this.#next = (this.#next % lastHost) + 1;
      if (!inUse.has(address)) return address;
    }
  }
}

/** The number of hosts in 10.244.0.0/16, without the network and broadcast addresses. */
const lastHost = 2 ** 16 - 2;

function format(host: number): string {
  return `10.244.${host >> 8}.${host & 255}`;
}
