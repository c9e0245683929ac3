import { useRef, useState } from "preact/hooks";
import { editableYaml } from "../../history/object-yaml.ts";
import { type Track, revisionAt } from "../../history/history.ts";
import { Problem, useAction } from "../messages.tsx";
import { usePage } from "../shown.ts";
import { type GoneWith, goesWith } from "../../history/owner-tree.ts";

/** The tab that edits or deletes the object. "Check" sends a dry run, which shows what the API server would refuse. */
export function EditTab({ track }: { readonly track: Track }) {
  const { shown } = usePage();
  const current = revisionAt(track, Infinity);
  const [text, setText] = useState<string>();
  const { act, message, setMessage, problem } = useAction();
  if (current === undefined) return <p class="empty">It was deleted.</p>;
  const { apiVersion, kind, metadata } = current.object;
  const apply = async (): Promise<void> => {
    if (await act("apply", { object, dryRun: false }, "applied")) setText(undefined);
  };
  const object = text ?? editableYaml(current.object);
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
const most = 10;

interface DeleteButtonProps {
  readonly track: Track;
  readonly onDelete: () => void;
}

/** A button that deletes the object after a question, which names the objects that are deleted along with it. */
function DeleteButton({ track, onDelete }: DeleteButtonProps) {
  const { feed } = usePage();
  const dialog = useRef<HTMLDialogElement>(null);
  const [going, setGoing] = useState<readonly GoneWith[]>([]);
  const { kind, metadata } = revisionAt(track, Infinity)?.object ?? { kind: "", metadata: {} };
  const { finalizers = [] } = metadata;
  const ask = (): void => {
    setGoing(goesWith(feed.history, track.place));
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
        {going.length === 0 ? (
          <p>Nothing goes with it.</p>
        ) : (
          <>
            <p>With it go:</p>
            <ul>
              {going.slice(0, most).map((one) => (
                <li key={one.place}>
                  {one.kind} {one.key}
                </li>
              ))}
              {going.length > most && <li>and {going.length - most} more</li>}
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
