import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { ClientDefaults, Patch, Subresource } from "./client.ts";
import { withDefaults } from "./client-defaults.ts";
import type { Desired } from "./desired.ts";
import type { ObjectKey } from "./object-key.ts";
import type { ApplyOptions, ReadOptions, WriteOptions } from "./options.ts";
import { parseAnswer } from "./parse-answer.ts";
import type { RawRequest, RawResponse } from "../http/transport.ts";
import { applyRequest, patchRequest, writeQuery } from "./write-request.ts";

/** A subresource by its path. Its body has a kind of its own, which the caller sets if the server requires it. */
export class LiveSubresource<Body extends KubernetesObject> implements Subresource<Body> {
  readonly #path: string;
  readonly #key: ObjectKey;
  readonly #defaults: ClientDefaults;
  readonly #send: (request: RawRequest) => Promise<RawResponse>;

  constructor(
    path: string,
    key: ObjectKey,
    defaults: ClientDefaults,
    send: (request: RawRequest) => Promise<RawResponse>,
  ) {
    this.#path = path;
    this.#key = key;
    this.#defaults = defaults;
    this.#send = send;
  }

  get({ signal }: ReadOptions = {}): Promise<Body> {
    return this.#exchange({ path: this.#path, signal });
  }

  create(body: Desired<Body>, options: WriteOptions = {}): Promise<Body> {
    return this.#write("POST", body, options);
  }

  update(body: Body, options: WriteOptions = {}): Promise<Body> {
    return this.#write("PUT", body, options);
  }

  patch(patch: Patch, options: WriteOptions = {}): Promise<Body> {
    return this.#exchange(patchRequest(this.#path, patch, withDefaults(this.#defaults, options)));
  }

  apply(body: Desired<Body>, options: ApplyOptions = {}): Promise<Body> {
    return this.#exchange(applyRequest(this.#path, this.#named(body), withDefaults(this.#defaults, options)));
  }

  #write(method: "POST" | "PUT", body: object, options: WriteOptions): Promise<Body> {
    const query = writeQuery(withDefaults(this.#defaults, options));
    return this.#exchange({
      method,
      path: this.#path,
      query,
      body: this.#named(body),
      signal: options.signal,
    });
  }

  /** The server compares the name in the body, if there is one, with the name in the path. */
  #named(body: object): object {
    const { metadata } = body as Partial<KubernetesObject>;
    return { ...body, metadata: { ...this.#key, ...metadata } };
  }

  async #exchange(request: RawRequest): Promise<Body> {
    const { text } = await this.#send(request);
    return parseAnswer(text, `${request.method ?? "GET"} ${this.#path}`) as Body;
  }
}
