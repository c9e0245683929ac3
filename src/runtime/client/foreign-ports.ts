/** The ports of a Service; this module doesn't import built-in kinds. */
interface WithPorts {
  spec?: { ports?: Port[] | undefined } | undefined;
}

interface Port {
  port: number;
  protocol?: string | undefined;
  nodePort?: number | undefined;
}

/**
 * Removes ports that another client added to a Service; see `Preparation`. An apply merges the list by port and
 * protocol, so it keeps foreign items. A port that was edited by hand keeps our name and node port, and the server then
 * rejects ours. Existing desired ports keep their node ports; new ones get theirs by the apply, with the type that
 * allows them.
 */
export function removeForeignPorts(
  draft: WithPorts,
  desired: { readonly spec?: { readonly ports?: readonly object[] | undefined } | undefined },
): void {
  const wanted = (desired.spec?.ports ?? []) as readonly Port[];
  const present = new Map(draft.spec?.ports?.map((port) => [identify(port), port]));
  const known = new Set(wanted.map(identify));
  if ([...present.keys()].every((id) => known.has(id))) return;
  draft.spec!.ports = wanted.map((port) => present.get(identify(port)) ?? { ...port, nodePort: undefined });
}

function identify({ port, protocol = "TCP" }: Port): string {
  return `${port}/${protocol}`;
}
