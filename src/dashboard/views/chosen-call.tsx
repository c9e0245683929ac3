import { placesOfCall } from "../../dev/record/recorded-call.ts";
import type { Call } from "../history/history.ts";
import { verdictOf, webhookName } from "../history/verdict.ts";
import { CallDetail } from "./call-detail.tsx";
import { CallLine, operationOf } from "./call-line.tsx";
import { Merged } from "./merged.tsx";
import { usePage } from "./shown.ts";
import { duration, timeOfDay } from "./times.ts";
import { VerdictWord } from "./verdict.tsx";

interface ChosenCallProps {
  readonly call: Call;
  /** All that its bar stands for, if that is more than one. */
  readonly merged: readonly Call[];
}

/** The chosen call of a webhook, below the timeline. */
export function ChosenCall({ call, merged }: ChosenCallProps) {
  const { feed, show } = usePage();
  const places = placesOfCall(call);
  return (
    <aside class="chosen" aria-label="The chosen call of a webhook">
      <h2>
        {webhookName(call)}: {operationOf(call)}
      </h2>
      <p>
        <time>{timeOfDay(call.from)}</time> <VerdictWord verdict={verdictOf(call)} /> in{" "}
        {duration(call.to - call.from)}
        {places.map((place) =>
          feed.history.tracks.has(place) ? (
            <button
              type="button"
              class="link way"
              key={place}
              onClick={() => show({ view: "objects", tab: "webhooks", place })}
            >
              {place}
            </button>
          ) : (
            <span class="way" key={place}>
              {place}
            </span>
          ),
        )}
      </p>
      <CallDetail call={call} />
      <Merged items={merged} noun="calls" keyOf={({ uid }) => uid}>
        {(one) => <CallLine call={one} />}
      </Merged>
    </aside>
  );
}
