import { useEffect, useMemo, useState } from "preact/hooks";
import type { Feed } from "../feed/feed.ts";
import type { Finding } from "../history/findings.ts";

/** What was found in the record, of what had begun by a moment; by default up to now, when what waits may wait too long. */
export function useFindings(
  { findings, history, state }: Feed,
  moment: number | undefined,
): readonly Finding[] {
  const now = useNow(state === "live" && moment === undefined);
  return useMemo(
    () => findings.list(now).filter(({ from }) => moment === undefined || from <= moment),
    [
      findings,
      history.written,
      history.reconciles.length,
      history.calls.length,
      history.samples.length,
      moment,
      now,
    ],
  );
}

const pause = 5000;

/** The time, every few seconds; undefined if it is not wanted. */
function useNow(isWanted: boolean): number | undefined {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isWanted) return undefined;
    const timer = setInterval(() => setNow(Date.now()), pause);
    return () => clearInterval(timer);
  }, [isWanted]);
  return isWanted ? now : undefined;
}
