import { useMemo } from "preact/hooks";
import type { Feed } from "../feed/feed.ts";
import type { Finding } from "../history/findings.ts";

/** What was found in the record, of what had begun by a moment. */
export function useFindings({ findings, history }: Feed, moment: number): readonly Finding[] {
  return useMemo(
    () => findings.list().filter(({ from }) => from <= moment),
    [findings, history.written, history.reconciles.length, moment],
  );
}
