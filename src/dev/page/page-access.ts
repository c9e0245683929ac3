import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** Who may read the record and act: the page that has the token, which this server served. */
export class PageAccess {
  readonly token = randomBytes(32).toString("base64url");
  readonly #digest = digestOf(`Bearer ${this.token}`);
  readonly #port: number;

  constructor(port: number) {
    this.#port = port;
  }

  /** Another site can have a name of its own point at this machine. */
  isOwnHost({ host }: IncomingHttpHeaders): boolean {
    return host === `127.0.0.1:${this.#port}` || host === `localhost:${this.#port}`;
  }

  /** The code of the refusal of a request for data; undefined if it is allowed. */
  refuse(headers: IncomingHttpHeaders): 401 | 403 | undefined {
    const { host, origin, authorization = "", "sec-fetch-site": site } = headers;
    if (origin !== undefined && origin !== `http://${host}`) return 403;
    if (site !== undefined && site !== "same-origin") return 403;
    return timingSafeEqual(digestOf(authorization), this.#digest) ? undefined : 401;
  }
}

/** Digests have one length, so that comparing them tells nothing. */
function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
