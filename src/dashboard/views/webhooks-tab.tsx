import { useState } from "preact/hooks";
import type { Call, Track } from "../history/history.ts";
import { CallLine } from "./call-line.tsx";
import { usePage } from "./shown.ts";

/** So many are drawn: the last ones. */
const most = 200;

/** What webhooks were asked about the object, the newest first. */
export function WebhooksTab({ track: { place } }: { readonly track: Track }) {
  const { feed, shown, moment } = usePage();
  const [everything, setEverything] = useState(false);
  const past = feed.history.callsAbout(place).filter(({ from }) => from <= moment);
  const special = past.filter((call) => !isUsual(call) || call.uid === shown.callID);
  const drawn = everything ? past : special;
  if (past.length === 0) return <p class="empty">No webhook was asked about it.</p>;
  return (
    <>
      {special.length < past.length && (
        <label>
          <input
            type="checkbox"
            checked={everything}
            onChange={({ currentTarget }) => setEverything(currentTarget.checked)}
          />
          also its {past.length - special.length} conversions that worked
        </label>
      )}
      <ul class="reconciles">
        {drawn
          .slice(-most)
          .toReversed()
          .map((call) => (
            <li key={call.uid}>
              <CallLine call={call} />
            </li>
          ))}
        {drawn.length > most && <li class="dim">and {drawn.length - most} calls before these</li>}
      </ul>
    </>
  );
}

/** Objects in several versions are converted at each turn. */
function isUsual(call: Call): boolean {
  return call.call === "conversion" && call.failure === undefined;
}
