import type { JSONObject } from "@tsbuilder/apimachinery/json";
import type { InProcessCluster } from "@tsbuilder/cluster";

// What operators repeat in vain is most of what they ask for in months. The API server need not see it again.

type Request = Parameters<InProcessCluster["handle"]>[0];
type Response = Awaited<ReturnType<InProcessCluster["handle"]>>;

interface Answer {
  readonly status: number;
}

/**
 * The API server's refusals. As long as nothing changes, the server refuses the same request in the same way, and operators retry
 * one for months: most of a run's time went into writes that no retry makes valid.
 */
export class RefusedRequests<A extends Answer> {
  readonly #answers = new Map<string, { readonly answer: A; readonly isRepeated: boolean }>();
  #changes = 0;

  /** Returns the answer to a request. The server handles it, unless it has refused it twice since the last change. */
  async answer(request: string, handle: () => Promise<A>): Promise<A> {
    const kept = this.#answers.get(request);
    if (kept?.isRepeated) return kept.answer;
    const changesBefore = this.#changes;
    const answer = await handle();
    // What the server derives from its state, such as the kinds that CRDs define, may follow a change in a later turn: that is why
    // the first refusal isn't enough.
    if (dependsOnState(answer) && this.#changes === changesBefore)
      this.#answers.set(request, { answer, isRepeated: kept !== undefined });
    return answer;
  }

  /** Forgets all refusals: the state has changed, or a webhook was asked, whose answer the state doesn't decide. */
  forget(): void {
    this.#changes++;
    this.#answers.clear();
  }
}

/** Returns whether an answer is a refusal that only depends on the state. One with 429 ends by itself. */
function dependsOnState({ status }: Answer): boolean {
  return status >= 400 && status < 500 && status !== 429;
}

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
