import { useMemo } from "preact/hooks";
import { restorer } from "../../dev/record/recorded.ts";
import { writerName } from "../../dev/record/writer-name.ts";
import { difference } from "../history/difference.ts";
import type { Revision, Track } from "../history/history.ts";
import { DifferenceLines } from "./difference-lines.tsx";
import { usePage } from "./shown.ts";
import { timeOfDay } from "./times.ts";

/** So many changes are drawn: the last ones up to the moment. */
const most = 100;

/** Each revision of an object, the newest first, with who wrote it and what is different. */
export function ChangesTab({ track: { revisions } }: { readonly track: Track }) {
  const { shown, show, moment } = usePage();
  const past = revisions.filter(({ at }) => at <= moment);
  const drawn = past.slice(-most);
  return (
    <ol class="changes" reversed>
      {drawn.toReversed().map((revision) => (
        <li key={revision.index}>
          <p>
            <button
              type="button"
              class="link"
              title="Show everything as it was then"
              aria-pressed={shown.moment === revision.at}
              onClick={() => show({ moment: revision.at })}
            >
              <time>{timeOfDay(revision.at)}</time>
            </button>{" "}
            {sentence(revision)}
          </p>
          <Difference revision={revision} before={revisions[revisions.indexOf(revision) - 1]} />
        </li>
      ))}
      {past.length > most && <li class="dim">and {past.length - most} changes before these</li>}
      {past.length === 0 && <li class="empty">It did not exist yet.</li>}
    </ol>
  );
}

function sentence({ write, by }: Revision): string {
  if (by?.user === restorer) return "brought back to how it was";
  const who = writerName(by);
  switch (write) {
    case "ADDED":
      return `created by ${who}`;
    case "MODIFIED":
      return `changed by ${who}`;
    case "DELETED":
      return `deleted by ${who}`;
    case "KEPT":
      return "was there before";
  }
}

function Difference({
  revision,
  before,
}: {
  readonly revision: Revision;
  readonly before: Revision | undefined;
}) {
  const lines = useMemo(() => {
    if (revision.write === "DELETED") return [];
    return difference(before?.write === "DELETED" ? undefined : before?.object, revision.object);
  }, [revision, before]);
  if (lines.length === 0) return null;
  return <DifferenceLines lines={lines} label="What is different" />;
}
