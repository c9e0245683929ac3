import { useMemo } from "preact/hooks";
import { about } from "../history/about.ts";
import type { Track } from "../history/history.ts";
import { ReconcileLine } from "./reconcile-line.tsx";
import { usePage } from "./shown.ts";

/** So many are drawn: the last ones. */
const most = 200;

/** The reconciles that the object caused, and those that wrote it, the newest first. */
export function ReconcilesTab({ track: { place } }: { readonly track: Track }) {
  const { feed, moment } = usePage();
  const { history } = feed;
  const many = history.reconciles.length;
  const found = useMemo(() => {
    const { caused, wrote } = about(history, place);
    const writers = new Set(wrote.map(({ reconcile }) => reconcile));
    const all = new Set([...caused, ...writers]);
    const reasons = new Set(caused);
    return [...all]
      .toSorted((a, b) => b.from - a.from)
      .map((reconcile) => ({ reconcile, how: how(reasons.has(reconcile), writers.has(reconcile)) }));
  }, [history, place, many]);
  const past = found.filter(({ reconcile }) => reconcile.from <= moment).slice(0, most);
  if (past.length === 0) return <p class="empty">No reconcile had to do with it.</p>;
  return (
    <ul class="reconciles">
      {past.map(({ reconcile, how: why }) => (
        <li key={reconcile.reconcileID}>
          <ReconcileLine reconcile={reconcile} how={why} />
        </li>
      ))}
    </ul>
  );
}

function how(isCause: boolean, isWriter: boolean): string {
  if (isCause && isWriter) return "caused by it and wrote it";
  return isCause ? "caused by it" : "wrote it";
}
