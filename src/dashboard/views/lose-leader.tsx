import { useEffect, useState } from "preact/hooks";
import { usePage } from "./shown.ts";

/** An operator takes its Lease a moment after it has begun. */
const askAgain = 2000;

interface LoseLeaderProps {
  /** Whether somebody sees it. */
  readonly isSeen: boolean;
  readonly onLose: () => void;
}

/** Has another replica take the Lease by which the operator leads; without one it says how to have one. */
export function LoseLeader({ isSeen, onLose }: LoseLeaderProps) {
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
    const timer = setInterval(ask, askAgain);
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
