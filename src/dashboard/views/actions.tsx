import { useMemo, useState } from "preact/hooks";
import type { RefusedActionError } from "../feed/feed.ts";
import { LoseLeader } from "./lose-leader.tsx";
import { MoveClock } from "./move-clock.tsx";
import { Problem } from "./problem.tsx";
import { usePage } from "./shown.ts";

/** What the session can do to the operator: what if it had to start again, or its requests failed? */
export function Actions() {
  const { feed } = usePage();
  const [problem, setProblem] = useState<RefusedActionError>();
  const [told, setTold] = useState<string>();
  const [isOpen, setOpen] = useState(false);
  const act = async (name: string, body: object, done: string): Promise<void> => {
    setTold("working on it");
    setProblem(undefined);
    try {
      await feed.act(name, body);
      setTold(done);
    } catch (error) {
      setTold(undefined);
      setProblem(error as RefusedActionError);
    }
  };
  if (feed.actions.length === 0) return null;
  return (
    <details class="actions" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>What if</summary>
      <div>
        {feed.actions.includes("restart") && (
          <button type="button" onClick={() => void act("restart", {}, "the operator runs again")}>
            Restart the operator
          </button>
        )}
        {feed.actions.includes("lose-leader") && (
          <LoseLeader
            isSeen={isOpen}
            onLose={() => void act("lose-leader", {}, "the operator has lost its Lease, and runs again")}
          />
        )}
        {feed.actions.includes("move-clock") && (
          <MoveClock
            onMove={(seconds) =>
              act("move-clock", { seconds }, "the clock was moved, and what waited for it is due")
            }
          />
        )}
        {feed.actions.includes("test") && <WriteTest />}
        {feed.actions.includes("fail") && (
          <Failures
            onFail={(failure) =>
              void act("fail", failure, `the next such requests will ${"delay" in failure ? "wait" : "fail"}`)
            }
          />
        )}
        <div role="status">
          {told}
          {problem && <Problem problem={problem} />}
        </div>
      </div>
    </details>
  );
}

const answers = {
  "403": "403 Forbidden",
  "409": "409 Conflict",
  "500": "500 Internal error",
  "503": "503 Unavailable",
  delay: "an answer after 5 s",
} as const;

function Failures({ onFail }: { readonly onFail: (failure: object) => void }) {
  const { tracks } = usePage().feed.history;
  const seen = useMemo(
    () => [...new Set([...tracks.values()].map(({ resource }) => resource))].toSorted(),
    [tracks, tracks.size],
  );
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    const answer = fields.get("answer");
    onFail({
      verb: fields.get("verb"),
      resource: fields.get("resource"),
      times: Number(fields.get("times")),
      ...(answer === "delay" ? { delay: 5000 } : { code: Number(answer) }),
    });
  };
  return (
    <form onSubmit={submit}>
      <label>
        The next <input name="times" type="number" min={1} max={1000} value={1} />
      </label>
      <label>
        requests to{" "}
        <select name="verb">
          {["create", "update", "patch", "delete", "get", "list"].map((verb) => (
            <option value={verb}>{verb}</option>
          ))}
        </select>
      </label>
      <label>
        of <input name="resource" required placeholder="statefulsets.apps" list="seen-resources" />
      </label>
      <datalist id="seen-resources">
        {seen.map((resource) => (
          <option key={resource} value={resource} />
        ))}
      </datalist>
      <label>
        get{" "}
        <select name="answer">
          {Object.entries(answers).map(([value, text]) => (
            <option value={value}>{text}</option>
          ))}
        </select>
      </label>
      <button type="submit">Let them fail</button>
    </form>
  );
}

/** Writes what hands did in the session, and how it ended, as a test of the project. */
function WriteTest() {
  const { feed } = usePage();
  const [written, setWritten] = useState<{ readonly path: string; readonly notes: readonly string[] }>();
  const [problem, setProblem] = useState<RefusedActionError>();
  const write = (): void => {
    feed.act("test", {}).then(
      (answer) => {
        setWritten(answer as NonNullable<typeof written>);
        setProblem(undefined);
      },
      (error: unknown) => setProblem(error as RefusedActionError),
    );
  };
  return (
    <div role="status">
      <button type="button" onClick={write}>
        Write the session as a test
      </button>
      {written && (
        <>
          <p>
            written to <code>{written.path}</code>
          </p>
          <ul>
            {written.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </>
      )}
      {problem && <Problem problem={problem} />}
    </div>
  );
}
