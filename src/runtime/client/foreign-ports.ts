/** A Service as far as its ports go: this entry point knows no kinds of Kubernetes. */
interface WithPorts {
  spec?: { ports?: Port[] | undefined } | undefined;
}

interface Port {
  port: number;
  protocol?: string | undefined;
}

/**
 * Takes out ports that somebody else put into a Service; see `Preparation`. An apply merges the list by port and
 * protocol, so it keeps foreign items, and a port that was edited by hand keeps the name and the node port of ours,
 * which the server then refuses. Ports that are there already stay as they are, with the node ports that were given.
 */
export function removeForeignPorts(
  draft: WithPorts,
  desired: { readonly spec?: { readonly ports?: readonly object[] | undefined } | undefined },
): void {
  const wanted = (desired.spec?.ports ?? []) as readonly Port[];
  const present = new Map(draft.spec?.ports?.map((port) => [identify(port), port]));
  const known = new Set(wanted.map(identify));
  if ([...present.keys()].every((id) => known.has(id))) return;
  draft.spec!.ports = wanted.map((port) => present.get(identify(port)) ?? port);
}

function identify({ port, protocol = "TCP" }: Port): string {
  return `${port}/${protocol}`;
}
