import { useMemo, useState } from "preact/hooks";
import type { TreeNode, TreeRow } from "../../history/owner-tree.ts";
import { isOfInterest, openRows, ownerTree } from "../../history/owner-tree.ts";
import { withFailure } from "../../../dev/view/failing.ts";
import type { Standing } from "../../../dev/view/standing.ts";
import { Empty } from "../messages.tsx";
import { Key, Mark } from "../outcomes.tsx";
import { Rows } from "../rows.tsx";
import { matcher } from "../texts.ts";
import { usePage } from "../shown.ts";
import { ObjectPane } from "./object-pane.tsx";

/** The tree of the objects at a moment, each below its owner. */
function ObjectTree() {
  const { feed, shown, show, moment, health, place: shownPlace } = usePage();
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const { history } = feed;
  const written = history.written;
  const all = useMemo(() => ownerTree(history, moment), [history, written, moment]);
  const asked = useMemo(() => all.filter((root) => isOfInterest(history, root)), [all, history]);
  const tree = shown.everything ? all : asked;
  const standingAt = ({ place, standing }: TreeNode): Standing =>
    withFailure(standing, health.failureOf.get(place));
  const rows = useMemo(() => {
    const matches = matcher(shown.filter, history);
    return openRows(tree, {
      isClosed: ({ place }) => closed.has(place),
      isShown: (node) => {
        if (shown.filter === "") return true;
        const { kind, key } = node;
        const { tone, why } = standingAt(node);
        return matches(`${kind} ${key} ${why}`, { kind, key, tone });
      },
    });
  }, [tree, closed, shown.filter, health]);
  const at = rows.findIndex(({ node }) => node.place === shownPlace);
  const active = at === -1 ? undefined : at;

  const open = ({ place }: TreeNode, isOpen: boolean): void => {
    const next = new Set(closed);
    if (isOpen) next.delete(place);
    else next.add(place);
    setClosed(next);
  };
  const choose = (index: number): void => {
    const row = rows[Math.max(0, Math.min(index, rows.length - 1))];
    if (row) show({ place: row.node.place });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const row = rows[at];
    const actions: Readonly<Record<string, () => void>> = {
      ArrowDown: () => choose(at + 1),
      ArrowUp: () => choose(at - 1),
      Home: () => choose(0),
      End: () => choose(rows.length - 1),
      ArrowRight: () => row && (row.isOpen ? choose(at + 1) : open(row.node, true)),
      ArrowLeft: () =>
        row &&
        (row.isOpen && row.node.children.length > 0 ? open(row.node, false) : choose(parentOf(rows, at))),
    };
    const action = actions[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  };

  return (
    <section class="tree" aria-label="Objects">
      <label class="everything">
        <input
          type="checkbox"
          checked={shown.everything}
          onChange={({ currentTarget }) => show({ everything: currentTarget.checked }, true)}
        />
        also the {all.length - asked.length} of the cluster itself
      </label>
      {rows.length === 0 && (
        <Empty isFiltered={shown.filter !== "" && tree.length > 0}>
          {history.tracks.size === 0
            ? "Of this cluster the page shows reconciles and the log: it does not tell who writes what."
            : "There are no objects here."}
        </Empty>
      )}
      <Rows
        items={rows}
        height={26}
        keyOf={({ node }) => node.place}
        active={active}
        attributes={{
          role: "tree",
          "aria-label": "Objects by their owners",
          tabIndex: 0,
          "aria-activedescendant": active === undefined ? undefined : idOf(rows[active]!.node),
          onKeyDown,
        }}
      >
        {({ node, level, position, siblings, isOpen }) => {
          const { tone, why } = standingAt(node);
          return (
            <div
              class={`node${node.deleting ? " deleting" : ""}`}
              id={idOf(node)}
              role="treeitem"
              aria-level={level}
              aria-posinset={position}
              aria-setsize={siblings}
              aria-expanded={node.children.length > 0 ? isOpen : undefined}
              aria-selected={node.place === shownPlace}
              style={{ paddingLeft: `${level * 1.1}em` }}
              onClick={() => show({ place: node.place })}
            >
              <span
                class="twist"
                onClick={(event) => {
                  event.stopPropagation();
                  open(node, !isOpen);
                }}
              >
                {node.children.length > 0 ? (isOpen ? "▾" : "▸") : ""}
              </span>
              <Mark tone={tone} /> <span class="kind">{node.kind}</span> <Key of={node.key} />
              {why !== "" && <span class={`why ${tone}`}>{why}</span>}
            </div>
          );
        }}
      </Rows>
    </section>
  );
}

function idOf({ place }: TreeNode): string {
  return `node ${place}`.replaceAll(" ", "-");
}

function parentOf(rows: readonly TreeRow[], at: number): number {
  const { level = 1 } = rows[at] ?? {};
  return rows.findLastIndex((row, index) => index < at && row.level < level);
}

/** The view of objects: the tree on the left, the chosen object on the right. A phone shows one of them. */
export function ObjectsView() {
  const { shown, show } = usePage();
  return (
    <div class={`split objects${shown.place === undefined ? "" : " one-object"}`}>
      <button type="button" class="link all-objects" onClick={() => show({ place: undefined })}>
        ‹ All objects
      </button>
      <ObjectTree />
      <ObjectPane />
    </div>
  );
}
