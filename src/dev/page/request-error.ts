/** A request that is answered with an error; what it says is for the page. */
export class RequestError extends Error {
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.code = code;
    this.headers = headers;
  }
}
