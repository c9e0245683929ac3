import type { JSONObject } from "@tsbuilder/apimachinery/json";
import type { InProcessCluster } from "@tsbuilder/cluster";

type Request = Parameters<InProcessCluster["handle"]>[0];
type Response = Awaited<ReturnType<InProcessCluster["handle"]>>;

/**
 * Events that repeat others, and that nobody can read: an operator that retries for months writes one with each attempt. The server
 * gets the first of them, since it may refuse it.
 */
export class RepeatedEvents {
  /** The names of Events, by what they say. */
  readonly #accepted = new Map<string, unknown>();

  /** Answers a request to write an Event. The server handles it, unless it has accepted the same one at another time. */
  async answer(request: Request, handle: () => Promise<Response>): Promise<Response> {
    const { method, path, headers, body = "{}" } = request;
    const { metadata, eventTime: _time, series: _series, ...event } = JSON.parse(body) as JSONObject;
    const { name, ...otherMetadata } = (metadata ?? {}) as JSONObject;
    // The server would have to complete an Event without a name.
    if (method !== "POST" || name === undefined) return handle();
    const key = JSON.stringify([path, otherMetadata, event]);
    const accepted = this.#accepted.get(key);
    if (accepted !== undefined && accepted !== name) {
      const type = { "content-type": String(headers["content-type"]) };
      return { status: 201, headers: type, body: Buffer.from(body) };
    }
    const response = await handle();
    if (response.status === 201) this.#accepted.set(key, name);
    return response;
  }
}
