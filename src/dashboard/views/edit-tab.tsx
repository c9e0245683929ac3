import { useState } from "preact/hooks";
import { editableYaml } from "../history/editable-yaml.ts";
import { revisionAt, type Track } from "../history/history.ts";
import type { RefusedActionError } from "../feed/feed.ts";
import { DeleteButton } from "./delete-button.tsx";
import { Problem } from "./problem.tsx";
import { usePage } from "./shown.ts";

const applied = "applied";

/** Changes an object by hand, or deletes it. What the server would refuse is told before. */
export function EditTab({ track }: { readonly track: Track }) {
  const { feed, shown } = usePage();
  const current = revisionAt(track, Infinity);
  const [text, setText] = useState<string>();
  const [told, setTold] = useState<string>();
  const [problem, setProblem] = useState<RefusedActionError>();
  if (current === undefined) return <p class="empty">It was deleted.</p>;
  const { apiVersion, kind, metadata } = current.object;
  const act = async (name: string, body: object, done: string): Promise<void> => {
    try {
      await feed.act(name, body);
      setTold(done);
      setProblem(undefined);
      if (done === applied) setText(undefined);
    } catch (error) {
      setTold(undefined);
      setProblem(error as RefusedActionError);
    }
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
            setTold(undefined);
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
        <button type="button" onClick={() => void act("apply", { object, dryRun: false }, applied)}>
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
        {told}
        {problem && <Problem problem={problem} />}
      </div>
    </form>
  );
}
