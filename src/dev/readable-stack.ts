// A stack for a person who looks for a mistake in the project: its own frames, with paths below its folder. Node has mapped them
// to the sources already.

/** `    at async MySQLReconciler.reconcile (/project/src/x.ts:40:5)`, or a place without a name. */
const frame = /^\s+at (?:(?<name>.+?) \((?<inner>.+)\)|(?:async )?(?<bare>.+))$/u;
const position = /^(?:file:\/\/)?(?<path>.+:\d+:\d+)$/u;

/** The first place of a stack that is not in a package or in Node: `src/controller/mysql_controller.ts:40:5`. */
export function placeOf(stack: string, root?: string): string | undefined {
  for (const line of stack.split("\n")) {
    const place = ownPlace(line, root);
    if (place !== undefined) return place.place;
  }
  return undefined;
}

/** The message and the project's own frames; frames of packages and of Node in a row are counted. */
export function readableStack(stack: string, root?: string): string[] {
  const lines: string[] = [];
  let foreign = 0;
  const countForeign = (): void => {
    if (foreign > 0) lines.push(`    … ${foreign} of packages and Node`);
    foreign = 0;
  };
  for (const line of stack.split("\n")) {
    const own = ownPlace(line, root);
    if (own === undefined && /^\s+at /u.test(line)) {
      foreign += 1;
      continue;
    }
    countForeign();
    if (own === undefined) lines.push(line);
    else lines.push(own.name === undefined ? `    at ${own.place}` : `    at ${own.name} (${own.place})`);
  }
  countForeign();
  return lines;
}

function ownPlace(
  line: string,
  root: string | undefined,
): { name?: string | undefined; place: string } | undefined {
  const { name, inner, bare } = frame.exec(line)?.groups ?? {};
  const path = position.exec(inner ?? bare ?? "")?.groups?.["path"];
  if (path === undefined || path.startsWith("node:") || /[/\\]node_modules[/\\]/u.test(path))
    return undefined;
  const isBelow = root !== undefined && path.startsWith(root) && /^[/\\]/u.test(path.slice(root.length));
  return { name, place: isBelow ? path.slice(root.length + 1) : path };
}
