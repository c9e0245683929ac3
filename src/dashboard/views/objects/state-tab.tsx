import { useMemo, useState } from "preact/hooks";
import type { DescribedCondition, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Track } from "../../history/history.ts";
import { laneName, revisionAt } from "../../history/history.ts";
import { objectLines, yamlLines } from "../../history/object-yaml.ts";
import { type TreeNode, ownerTree } from "../../history/owner-tree.ts";
import type { Failure } from "../../history/problems.ts";
import { withFailure } from "../../../dev/view/failing.ts";
import { countUntil } from "../../../dev/record/count-until.ts";
import { standingOf } from "../../../dev/view/standing.ts";
import { ErrorText, RequestTable, copy, hasFailed } from "../error-text.tsx";
import { Link } from "../messages.tsx";
import { Key, KindIcon, Mark } from "../outcomes.tsx";
import { ReconcileList } from "../reconcile.tsx";
import { usePage } from "../shown.ts";
import { duration, kubectlCommand, timeOfDay } from "../texts.ts";

/** The tab that tells how the object stands and why: its error, its conditions, and a graph of what it owns. */
export function StateTab({ track }: { readonly track: Track }) {
  const { feed, moment, health } = usePage();
  const revision = revisionAt(track, moment);
  const { history } = feed;
  const tree = useMemo(() => ownerTree(history, moment), [history, history.written, moment]);
  const path = useMemo(() => pathTo(tree, track.place), [tree, track.place]);
  if (revision === undefined) return <p class="empty">It does not exist at this moment.</p>;
  const failure = health.failureOf.get(track.place);
  const { conditions, why } = standingOf(revision.object);
  const node = path.at(-1);
  const refused = failure?.reconcile.requests.filter(({ method, code }) => hasFailed(method, code)) ?? [];
  return (
    <>
      {failure && (
        <section class="failure" aria-label="Why it fails">
          <p>
            Its reconcile failed {failure.times === 1 ? "" : `${failure.times} times in a row `}
            {failure.times > 1 && `since ${timeOfDay(failure.since).slice(0, 8)} `}(
            <Link to={{ view: "timeline", reconcileID: failure.reconcile.reconcileID, callID: undefined }}>
              the last at {timeOfDay(failure.reconcile.from).slice(0, 8)}
            </Link>
            ):
          </p>
          <ErrorText
            error={failure.reconcile.error ?? failure.reconcile.outcome}
            stack={failure.reconcile.stack}
          />
          {refused.length > 0 && <RequestTable requests={refused} />}
        </section>
      )}
      {conditions.length > 0 && <Conditions conditions={conditions} moment={moment} />}
      {/* A deletion, or an old status, is said by no condition. */}
      {!conditions.some(({ type }) => why === "" || why.startsWith(type)) && (
        <p class="dim">{why || "It reports no conditions."}</p>
      )}
      {node && (path.length > 1 || node.children.length > 0) && (
        <>
          <h3>What belongs together</h3>
          <Graph node={path[0]!} />
        </>
      )}
      {failure && <Around failure={failure} object={revision.object} />}
    </>
  );
}

/** The number of reconciles that are listed beside a failure. */
const mostReconciles = 5;

/** Shows the spec of a failing object, and its last reconciles. */
function Around({ failure, object }: { readonly failure: Failure; readonly object: KubernetesObject }) {
  const { feed, moment } = usePage();
  const { reconciles } = feed.history.lanes.get(laneName(failure.reconcile))!;
  const ended = countUntil(reconciles, ({ to }) => to <= moment);
  const { spec } = object as { readonly spec?: unknown };
  return (
    <>
      {spec !== undefined && (
        <>
          <h3>What it asks for</h3>
          <pre tabIndex={0}>
            {yamlLines({ spec })
              .map(({ text }) => text)
              .join("\n")}
          </pre>
        </>
      )}
      <h3>Its last reconciles</h3>
      <ReconcileList reconciles={reconciles.slice(Math.max(0, ended - mostReconciles), ended).toReversed()} />
    </>
  );
}

function pathTo(nodes: readonly TreeNode[], place: string): readonly TreeNode[] {
  for (const node of nodes) {
    if (node.place === place) return [node];
    const below = pathTo(node.children, place);
    if (below.length > 0) return [node, ...below];
  }
  return [];
}

function Conditions({
  conditions,
  moment,
}: {
  readonly conditions: readonly DescribedCondition[];
  readonly moment: number;
}) {
  return (
    <table class="conditions">
      <tbody>
        {conditions.map(({ type, status, reason, message, since, tone }) => (
          <tr key={type}>
            <th scope="row">
              <Mark tone={tone} /> {type}
            </th>
            <td>{status}</td>
            <td>
              {reason} <span class="dim">{message}</span>
            </td>
            <td class="number dim">
              {Number.isNaN(since) ? "" : `for ${duration(Math.max(0, moment - since))}`}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The number of children of an object that the graph draws. */
const mostChildren = 20;

/** An object and, connected with lines, what it owns, each with how it stands. */
function Graph({ node }: { readonly node: TreeNode }) {
  return (
    <ul class="graph">
      <GraphNode node={node} />
    </ul>
  );
}

function GraphNode({ node }: { readonly node: TreeNode }) {
  const { health, place, show } = usePage();
  const { tone, why } = withFailure(node.standing, health.failureOf.get(node.place));
  return (
    <li>
      <button
        type="button"
        class={`graph-node ${tone}`}
        aria-current={node.place === place ? "true" : undefined}
        title={why}
        onClick={() => show({ place: node.place })}
      >
        <Mark tone={tone} /> <KindIcon kind={node.kind} /> {node.kind} <Key of={node.key} />
      </button>
      {tone !== "good" && why !== "" && <span class={`why ${tone}`}>{why}</span>}
      {node.children.length > 0 && (
        <ul>
          {node.children.slice(0, mostChildren).map((child) => (
            <GraphNode key={child.place} node={child} />
          ))}
          {node.children.length > mostChildren && (
            <li class="dim">and {node.children.length - mostChildren} more</li>
          )}
        </ul>
      )}
    </li>
  );
}

/** Buttons that copy the object, and the command that shows it in a terminal. */
export function Copies({
  object,
  resource,
}: {
  readonly object: KubernetesObject | undefined;
  readonly resource: string;
}) {
  const [copied, setCopied] = useState("");
  if (object === undefined) return null;
  const texts: Readonly<Record<string, () => string>> = {
    "Copy YAML": () => `${objectLines(object).join("\n")}\n`,
    "Copy kubectl": () => kubectlCommand(resource, object.metadata),
  };
  const take = async (label: string): Promise<void> => {
    setCopied(await copy(texts[label]!()));
  };
  return (
    <p class="copies">
      {Object.keys(texts).map((label) => (
        <button type="button" key={label} class="quiet" onClick={() => void take(label)}>
          {label}
        </button>
      ))}
      <span role="status" class="dim">
        {copied}
      </span>
    </p>
  );
}
