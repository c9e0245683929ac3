import { writerName } from "../../../dev/record/writer-name.ts";
import { placeName } from "../../../dev/record/places.ts";
import type { RecordedAdmission } from "../../../dev/record/recorded-call.ts";
import { isOperator } from "../is-operator.ts";
import { verdictOf, webhookName } from "../verdict.ts";
import { Episodes } from "./episodes.ts";
import type { Detector, Finding, SeenCall } from "./finding.ts";
import { shortened, span, times } from "./words.ts";

interface Denial {
  readonly first: RecordedAdmission;
  readonly place: string;
  message: string;
}

/** Webhooks that deny what an operator writes, again and again. */
export class DeniedWriteDetector implements Detector {
  readonly #denials = new Episodes<Denial>({ least: 3, pause: 60_000 });

  seeCall({ call }: SeenCall): void {
    if (call.call === "conversion" || call.dryRun || !isOperator(call.by)) return;
    const place = placeName(call);
    const key = `${call.webhook}\n${call.operation} ${place}`;
    const { message, reason, code = 0 } = call.answer?.status ?? {};
    // An error in the webhook is told otherwise.
    if (verdictOf(call) !== "denied" || code >= 500) return;
    const denial = this.#denials.hit(key, call.from, () => ({ first: call, place, message: "" }));
    denial.message = message || reason || "no explanation";
  }

  /** Whether the error of a reconcile is such a denial. */
  explains(error: string): boolean {
    return this.#denials.told.some(({ detail: { first } }) =>
      error.includes(`admission webhook ${JSON.stringify(first.webhook)} denied the request`),
    );
  }

  found(): Finding[] {
    return this.#denials.told.map(({ count, from, at, detail: { first, place, message } }) => {
      const { operation, by, uid } = first;
      const who = writerName(by);
      return {
        kind: "denied writes",
        title: `${webhookName(first)} denies what ${who} writes`,
        text: `The ${webhookName(first)} denied ${times(count)} in ${span(at - from)} that ${who} ${verbs[operation]} ${place}, with “${shortened(message, 200)}”: let the operator write only what the webhook allows`,
        from,
        at,
        places: [place],
        requests: [],
        call: uid,
      };
    });
  }
}

const verbs: Readonly<Record<RecordedAdmission["operation"], string>> = {
  CREATE: "creates",
  UPDATE: "updates",
  DELETE: "deletes",
  CONNECT: "connects to",
};
