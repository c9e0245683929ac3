import { useRef, useState } from "preact/hooks";
import { type GoneWith, goesWith } from "../history/goes-with.ts";
import { revisionAt, type Track } from "../history/history.ts";
import { usePage } from "./shown.ts";

/** So many are named. */
const most = 10;

interface DeleteButtonProps {
  readonly track: Track;
  readonly onDelete: () => void;
}

/** Deletes an object, once somebody has seen what goes with it and agreed. */
export function DeleteButton({ track, onDelete }: DeleteButtonProps) {
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
