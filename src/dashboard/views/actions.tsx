import { useEffect, useMemo, useState } from "preact/hooks";
import type { RefusedActionError } from "../feed/feed.ts";
import { Problem, useAction } from "./messages.tsx";
import { usePage } from "./shown.ts";

/** The menu of actions on the session: each answers a question such as "what if the operator had to start again?". */
export function Actions() {
  const { feed } = usePage();
  const [isOpen, setOpen] = useState(false);
  const { act: start, message, setMessage, problem, setProblem } = useAction();
  const act = (name: string, body: object, done: string): Promise<boolean> => {
    setMessage("working on it");
    setProblem(undefined);
    return start(name, body, done);
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
          <PlanFailures
            onFail={(failure) =>
              void act("fail", failure, `the next such requests will ${"delay" in failure ? "wait" : "fail"}`)
            }
          />
        )}
        <div role="status">
          {message}
          {problem && <Problem problem={problem} />}
        </div>
      </div>
    </details>
  );
}

/** The time in milliseconds between two questions for the Lease: an operator takes it a moment after its start. */
const leaseInterval = 2000;

interface LoseLeaderProps {
  /** True while the menu is open. */
  readonly isSeen: boolean;
  readonly onLose: () => void;
}

/** A button that lets another replica take the operator's Lease; without a Lease, the way to get one. */
function LoseLeader({ isSeen, onLose }: LoseLeaderProps) {
  const { feed } = usePage();
  const [{ lease, hasLed }, setLeader] = useState<LeaderAnswer>({ hasLed: false });
  useEffect(() => {
    if (!isSeen) return undefined;
    const ask = (): void =>
      void feed.act("leader", {}).then(
        (answer) => setLeader(answer as LeaderAnswer),
        () => setLeader(({ hasLed }) => ({ hasLed })),
      );
    ask();
    const timer = setInterval(ask, leaseInterval);
    return () => clearInterval(timer);
  }, [feed, isSeen]);
  if (!lease && hasLed) return <p class="dim">The operator holds no Lease at the moment.</p>;
  if (!lease)
    return (
      <p class="dim">
        The operator holds no Lease that another replica could take.{" "}
        <code>tsbuilder dev -- --leader-elect</code> starts it with leader election.
      </p>
    );
  return (
    <button
      type="button"
      title={`Another replica takes the Lease ${lease.namespace}/${lease.name}`}
      onClick={onLose}
    >
      Lose the leader
    </button>
  );
}

interface LeaderAnswer {
  readonly lease?: { readonly namespace: string; readonly name: string };
  readonly hasLed: boolean;
}

const clockSteps = [
  { text: "1 min", seconds: 60 },
  { text: "1 h", seconds: 3600 },
  { text: "1 day", seconds: 86_400 },
] as const;

/** Buttons that move the clock of the cluster and of the operator forward, so that timers fire. */
function MoveClock({ onMove }: { readonly onMove: (seconds: number) => Promise<unknown> }) {
  const [isMoving, setMoving] = useState(false);
  const move = (seconds: number): void => {
    setMoving(true);
    void onMove(seconds).finally(() => setMoving(false));
  };
  return (
    <div role="group" aria-label="Move the clock forward by" class="move-clock">
      <span aria-hidden="true">Move the clock forward by</span>
      {clockSteps.map(({ text, seconds }) => (
        <button type="button" key={text} disabled={isMoving} onClick={() => move(seconds)}>
          {text}
        </button>
      ))}
    </div>
  );
}

const failureAnswers = {
  "403": "403 Forbidden",
  "409": "409 Conflict",
  "500": "500 Internal error",
  "503": "503 Unavailable",
  delay: "an answer after 5 s",
} as const;

function PlanFailures({ onFail }: { readonly onFail: (failure: object) => void }) {
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
          {Object.entries(failureAnswers).map(([value, text]) => (
            <option value={value}>{text}</option>
          ))}
        </select>
      </label>
      <button type="submit">Let them fail</button>
    </form>
  );
}

/** A button that writes the session as a test of the project: its manual steps, and the objects at its end. */
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
