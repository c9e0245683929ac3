import type { Finding } from "../history/findings.ts";
import { Empty } from "./empty.tsx";
import { matcher } from "./matcher.ts";
import { usePage } from "./shown.ts";
import { timeOfDay } from "./times.ts";
import { useFindings } from "./use-findings.ts";

const ofNumbers: readonly Finding["kind"][] = ["blocked event loop", "growing queue", "growing memory"];
/** Milliseconds that are shown before and after. */
const around = 10_000;

/** What looks wrong, in words, with ways to what it is about. */
export function FindingsView() {
  const { feed, shown, show } = usePage();
  const all = useFindings(feed, shown.moment);
  const matches = matcher(shown.filter);
  const found = all.filter(({ title, text }) => matches(`${title} ${text}`));
  if (found.length === 0) return <Empty isFiltered={all.length > 0}>Nothing looks wrong.</Empty>;
  return (
    <ul class="findings">
      {found.map(({ kind, title, text, from, at, places, requests, call }) => (
        <li key={`${kind} ${title} ${from}`}>
          <h2>{title}</h2>
          <p>{text}</p>
          <p>
            <button type="button" class="link" onClick={() => show({ moment: from })}>
              <time>{timeOfDay(from)}</time>
            </button>
            {at > from && ` to ${timeOfDay(at)}`}
            {call !== undefined && (
              <button type="button" class="link way" onClick={() => show({ view: "timeline", callID: call })}>
                a call of it
              </button>
            )}
            {requests.map(({ controller, request }) => (
              <button
                type="button"
                class="link way"
                key={`${controller} ${request}`}
                onClick={() =>
                  show({ view: "timeline", callID: undefined, filter: `${controller} ${request}` })
                }
              >
                reconciles of {controller} {request}
              </button>
            ))}
            {ofNumbers.includes(kind) && (
              <button
                type="button"
                class="link way"
                onClick={() =>
                  show({
                    view: "numbers",
                    filter: "",
                    moment: at,
                    stretch: { from: from - around, to: at + around },
                  })
                }
              >
                numbers at that time
              </button>
            )}
            {places
              .filter((place) => feed.history.tracks.has(place))
              .map((place) => (
                <button
                  type="button"
                  class="link way"
                  key={place}
                  onClick={() => show({ view: "objects", tab: "changes", place })}
                >
                  {place}
                </button>
              ))}
          </p>
        </li>
      ))}
    </ul>
  );
}
