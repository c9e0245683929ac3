import { useMemo, useRef, useState } from "preact/hooks";
import { usePage } from "../shown.ts";
import { activityOf } from "../../history/connections.ts";
import { type Call, type Reconcile, type Revision, type Track, revisionAt } from "../../history/history.ts";
import { timeOfDay } from "../texts.ts";
import { ReconcileList } from "../reconcile.tsx";
import { difference, editableYaml, linesWithWriters } from "../../history/object-yaml.ts";
import { restorer, writerName } from "../../../dev/record/recorded.ts";
import { DifferenceLines } from "../lines.tsx";
import { CallList } from "../webhook-call.tsx";
import { Problem, useAction } from "../messages.tsx";
import { type GoneWith, goesWith } from "../../history/owner-tree.ts";

/** The tab that edits or deletes the object. "Check" sends a dry run, which shows what the API server would refuse. */
export function EditTab({ track }: { readonly track: Track }) {
  const { shown } = usePage();
  const current = revisionAt(track, Infinity);
  const [text, setText] = useState<string>();
  const { act, message, setMessage, problem } = useAction();
  if (current === undefined) return <p class="empty">It was deleted.</p>;
  const { apiVersion, kind, metadata } = current.object;
  const object = text ?? editableYaml(current.object);
  const apply = async (): Promise<void> => {
    if (await act("apply", { object, dryRun: false }, "applied")) setText(undefined);
  };
  return (
    <form class="edit" onSubmit={(event) => event.preventDefault()}>
      <label>
        YAML
        <textarea
          spellcheck={false}
          value={object}
          aria-invalid={problem !== undefined}
          aria-describedby="edit-told"
          onInput={({ currentTarget }) => {
            setText(currentTarget.value);
            setMessage(undefined);
          }}
        />
      </label>
      {shown.moment !== undefined && (
        <p>This is the object as it is now, not as it was at the moment that is shown.</p>
      )}
      <div class="buttons">
        <button
          type="button"
          onClick={() => void act("apply", { object, dryRun: true }, "the cluster would take it")}
        >
          Check
        </button>
        <button type="button" onClick={() => void apply()}>
          Apply
        </button>
        <button type="button" disabled={text === undefined} onClick={() => setText(undefined)}>
          Take the changes back
        </button>
        <DeleteButton
          track={track}
          onDelete={() =>
            void act(
              "delete",
              { apiVersion, kind, namespace: metadata.namespace, name: metadata.name },
              "its deletion has begun",
            )
          }
        />
      </div>
      <div id="edit-told" role="status">
        {message}
        {problem && <Problem problem={problem} />}
      </div>
    </form>
  );
}

/** The number of dependents that are named. */
const mostDependents = 10;

/** A button that deletes the object after a question, which names the objects that are deleted along with it. */
function DeleteButton({ track, onDelete }: { readonly track: Track; readonly onDelete: () => void }) {
  const { feed } = usePage();
  const dialog = useRef<HTMLDialogElement>(null);
  const [dependents, setDependents] = useState<readonly GoneWith[]>([]);
  const { kind, metadata } = revisionAt(track, Infinity)?.object ?? { kind: "", metadata: {} };
  const { finalizers = [] } = metadata;
  const ask = (): void => {
    setDependents(goesWith(feed.history, track.place));
    dialog.current?.showModal();
  };
  return (
    <>
      <button type="button" class="danger" aria-haspopup="dialog" onClick={ask}>
        Delete
      </button>
      <dialog ref={dialog} aria-labelledby="delete-question">
        <h2 id="delete-question">
          Delete {kind} {track.key}?
        </h2>
        {finalizers.length > 0 && <p>It stays until its finalizers are removed: {finalizers.join(", ")}.</p>}
        {dependents.length === 0 ? (
          <p>Nothing goes with it.</p>
        ) : (
          <>
            <p>With it go:</p>
            <ul>
              {dependents.slice(0, mostDependents).map((one) => (
                <li key={one.place}>
                  {one.kind} {one.key}
                </li>
              ))}
              {dependents.length > mostDependents && <li>and {dependents.length - mostDependents} more</li>}
            </ul>
          </>
        )}
        <p>
          <button
            type="button"
            class="danger"
            onClick={() => {
              dialog.current?.close();
              onDelete();
            }}
          >
            Delete it
          </button>{" "}
          <button type="button" autoFocus onClick={() => dialog.current?.close()}>
            Keep it
          </button>
        </p>
      </dialog>
    </>
  );
}

/** The number of calls that are drawn: the last ones. */
const mostCalls = 200;

/** The tab with the webhook calls for the object, the newest first. */
export function WebhooksTab({ track: { place } }: { readonly track: Track }) {
  const { feed, shown, moment } = usePage();
  const [showsAll, setShowsAll] = useState(false);
  const past = feed.history.callsAbout(place).filter(({ from }) => from <= moment);
  const notable = past.filter((call) => !isSuccessfulConversion(call) || call.uid === shown.callID);
  const drawn = showsAll ? past : notable;
  if (past.length === 0) return <p class="empty">No webhook was asked about it.</p>;
  return (
    <>
      {notable.length < past.length && (
        <label>
          <input
            type="checkbox"
            checked={showsAll}
            onChange={({ currentTarget }) => setShowsAll(currentTarget.checked)}
          />
          also its {past.length - notable.length} conversions that worked
        </label>
      )}
      <CallList calls={drawn.slice(-mostCalls).toReversed()}>
        {drawn.length > mostCalls && <li class="dim">and {drawn.length - mostCalls} calls before these</li>}
      </CallList>
    </>
  );
}

/** Returns true for successful conversions, which every read in another version causes. */
function isSuccessfulConversion(call: Call): boolean {
  return call.call === "conversion" && call.failure === undefined;
}

/** The number of changes that are drawn: the last ones up to the moment. */
const mostChanges = 100;

/** The tab with all revisions of the object, the newest first: the writer and the difference. */
export function ChangesTab({ track: { revisions } }: { readonly track: Track }) {
  const { shown, show, moment } = usePage();
  const past = revisions.filter(({ at }) => at <= moment);
  const drawn = past.slice(-mostChanges);
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
              onClick={() => show({ moment: revision.at }, true)}
            >
              <time>{timeOfDay(revision.at)}</time>
            </button>{" "}
            {describeRevision(revision)}
          </p>
          <Difference revision={revision} before={revisions[revisions.indexOf(revision) - 1]} />
        </li>
      ))}
      {past.length > mostChanges && <li class="dim">and {past.length - mostChanges} changes before these</li>}
      {past.length === 0 && <li class="empty">It did not exist yet.</li>}
    </ol>
  );
}

function describeRevision({ write, by }: Revision): string {
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

/** The tab with the object as YAML, each line with the managers of its field. */
export function FieldsTab({ track }: { readonly track: Track }) {
  const { moment } = usePage();
  const revision = revisionAt(track, moment);
  if (revision === undefined) return <p class="empty">It does not exist at this moment.</p>;
  const lines = linesWithWriters(revision.object);
  const managers = [...new Set(lines.flatMap((line) => line.managers.map(({ manager }) => manager)))];
  return (
    <table class="fields" tabIndex={0}>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Written by</th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line, at) => (
          <tr key={at}>
            <td>
              <code title={line.path}>{line.text}</code>
            </td>
            <td>
              {line.managers.map(({ manager, operation, subresource, at: time }) => (
                <span
                  title={operation}
                  key={`${manager} ${subresource}`}
                  class={`manager m${managers.indexOf(manager) % 6}`}
                >
                  {manager}
                  {subresource === undefined ? "" : ` (${subresource})`}{" "}
                  {time !== undefined && <time class="dim">{timeOfDay(Date.parse(time)).slice(0, 8)}</time>}
                </span>
              ))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The number of reconciles that are drawn: the last ones. */
const mostReconciles = 200;

/** The tab with the reconciles that the object caused or that wrote it, the newest first. */
export function ReconcilesTab({ track: { place } }: { readonly track: Track }) {
  const { feed, moment } = usePage();
  const { history } = feed;
  const reconcileCount = history.reconciles.length;
  const found = useMemo(() => {
    const { caused, wrote } = activityOf(history, place);
    const writers = new Set(wrote.map(({ reconcile }) => reconcile));
    const reasons = new Set(caused);
    const all = [...new Set([...caused, ...writers])].toSorted((a, b) => b.from - a.from);
    return { all, howOf: (one: Reconcile) => relation(reasons.has(one), writers.has(one)) };
  }, [history, place, reconcileCount]);
  const past = found.all.filter(({ from }) => from <= moment).slice(0, mostReconciles);
  if (past.length === 0) return <p class="empty">No reconcile had to do with it.</p>;
  return <ReconcileList reconciles={past} howOf={found.howOf} />;
}

function relation(isCause: boolean, isWriter: boolean): string {
  if (isCause && isWriter) return "caused by it and wrote it";
  return isCause ? "caused by it" : "wrote it";
}

export function EventsTab({ track }: { readonly track: Track }) {
  const { feed, moment } = usePage();
  const events = activityOf(feed.history, track.place).events.filter(({ revision }) => revision.at <= moment);
  if (events.length === 0) return <p class="empty">There are no Events about it.</p>;
  return (
    <ul class="events">
      {events.map(({ place, revision: { at }, summary: { isWarning, reason, text, times } }) => (
        <li key={place} class={isWarning ? "warning" : undefined}>
          <time>{timeOfDay(at)}</time> {isWarning && "⚠ "}
          <strong>{reason}</strong> {text}
          {times > 1 && ` (${times} times)`}
        </li>
      ))}
    </ul>
  );
}
