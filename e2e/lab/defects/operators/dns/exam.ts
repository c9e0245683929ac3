import { external } from "@tsbuilder/simulation";
import type { Exam } from "../../exam.ts";
import { HostRecord } from "./types.ts";

interface Entry {
  readonly id: string;
  readonly addresses: readonly string[];
  readonly ttl: number;
  readonly owner?: string;
}

const pageSize = 3;
const callsPer10Seconds = 40;

/** A zone with records of others in it. Its pages go by id, so that nothing is skipped when records are deleted. */
const dns = external({
  state: () => ({
    hosts: new Map<string, Entry[]>([
      ["example.com", [{ id: "1f2c9d04", addresses: ["203.0.113.1"], ttl: 3600 }]],
      ["mail.example.com", [{ id: "7be05a31", addresses: ["203.0.113.2"], ttl: 3600 }]],
      ["vpn.example.com", [{ id: "c40a77f9", addresses: ["203.0.113.3"], ttl: 3600 }]],
    ]),
    limit: { since: 0, calls: 0 },
  }),
  async handle(request, { hosts, limit }) {
    if (Date.now() - limit.since >= 10_000) Object.assign(limit, { since: Date.now(), calls: 0 });
    if (++limit.calls > callsPer10Seconds)
      return Response.json({}, { status: 429, headers: { "Retry-After": "10" } });
    const { pathname, searchParams } = new URL(request.url);
    if (request.method === "GET") {
      const after = searchParams.get("after") ?? "";
      const rest = [...hosts]
        .flatMap(([host, entries]) => entries.map((entry) => ({ ...entry, host })))
        .filter(({ id }) => id > after)
        .sort((a, b) => (a.id < b.id ? -1 : 1));
      const records = rest.slice(0, pageSize);
      return Response.json({ records, ...(rest.length > pageSize && { next: records.at(-1)!.id }) });
    }
    if (request.method === "POST") {
      const { host, ...entry } = (await request.json()) as Omit<Entry, "id"> & { readonly host: string };
      hosts.set(host, [...(hosts.get(host) ?? []), { id: crypto.randomUUID(), ...entry }]);
      return Response.json({}, { status: 201 });
    }
    const id = pathname.slice("/records/".length);
    const [host, entries] = [...hosts].find(([, entries]) => entries.some((entry) => entry.id === id)) ?? [];
    if (host === undefined || entries === undefined) return Response.json({}, { status: 404 });
    const change = request.method === "PATCH" ? ((await request.json()) as Partial<Entry>) : undefined;
    const left = entries.flatMap((entry) =>
      entry.id !== id ? [entry] : change ? [{ ...entry, ...change }] : [],
    );
    if (left.length > 0) hosts.set(host, left);
    else hosts.delete(host);
    return Response.json({});
  },
});

export const exam: Exam = {
  kind: HostRecord,
  world: () => ({
    external: { dns },
    operations: {
      values: {
        "spec.host": ["shop.example.com", "www.example.com", "api.example.com"],
        "spec.addresses": [["192.0.2.10"], ["192.0.2.20", "192.0.2.10"], ["198.51.100.7"]],
      },
    },
    // How many calls there were of late; and who holds a host that several name: that is the oldest, whatever they say.
    mayDiffer: ({ apiVersion, kind }, field = "") =>
      (apiVersion === "external" && kind === "limit") ||
      (kind === "hosts" && /^value.*(addresses|ttl|owner)/.test(field)) ||
      (kind === "HostRecord" && /^status\.(holder|conditions)/.test(field)),
  }),
  promises: {
    eventually: {
      "each host that is wanted has one record, with the addresses of the HostRecord that holds it": (
        state,
      ) => {
        const wanted = state.list("HostRecord") as readonly HostRecord[];
        const { dns } = state.external as unknown as { dns: { hosts: ReadonlyMap<string, Entry[]> } };
        return wanted.every(({ spec, status }) => {
          const [entry, ...more] = dns.hosts.get(spec.host) ?? [];
          const holder = wanted.find(
            ({ metadata }) => `${metadata.namespace}/${metadata.name}` === status?.holder,
          );
          return (
            entry !== undefined &&
            more.length === 0 &&
            [...(holder?.spec.addresses ?? [])].sort().join() === entry.addresses.join()
          );
        });
      },
    },
  },
  defects: [
    {
      name: "first-page-only",
      seenIn:
        "external-dns#5986 (Cloudflare), external-dns#4512 (Infoblox), salt#55143 (DigitalOcean): the list of a larger zone has several pages, and what is on the later ones is created again or never deleted",
      classes: ["leftover", "interrupted", "history", "collision", "promise", "lost-answer"],
      edits: [{ right: "if (next === undefined) return own;", wrong: "return own;" }],
    },
    {
      name: "loser-not-woken",
      seenIn:
        "net-kourier#486: an Ingress that lost a conflict never comes back from it, because the deletion of the winner causes no reconcile",
      classes: ["history", "collision", "missed-event", "interrupted", "lost-answer"],
      edits: [
        { right: "    .watches(HostRecord, requestsFor, { predicates: [generationChanged] })\n", wrong: "" },
      ],
    },
    {
      name: "oldest-by-resource-version",
      seenIn:
        "haproxy-ingress#405: conflicts were decided by the resourceVersion, which each write of a status changes, so that the winner changes, too",
      classes: ["hot-loop", "fight", "history", "collision", "interrupted", "lost-answer"],
      edits: [
        {
          right: "Date.parse(a.metadata.creationTimestamp) - Date.parse(b.metadata.creationTimestamp);",
          wrong: "Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion);",
        },
      ],
    },
    {
      name: "rate-limit-is-terminal",
      seenIn:
        "clients of cloud APIs that take each 4xx for a mistake of the user, which isn't worth another attempt: a 429 is one, too",
      classes: ["unretried", "interrupted", "history", "stuck", "leftover", "lost-answer"],
      edits: [
        { right: "  setCondition,\n", wrong: "  setCondition,\n  TerminalError,\n" },
        {
          right: "if (response.status === 429) throw new RateLimitedError(response);",
          wrong:
            "if (response.status >= 400 && response.status < 500 && response.status !== 404)\n    throw new TerminalError(`${method} /records/${path} was answered with ${response.status}`);",
        },
      ],
    },
    {
      name: "made-by-an-old-view",
      seenIn:
        "Sieve's stale state: a process that starts with an old view makes the record of an object that was deleted and cleaned up in the meantime",
      classes: ["stale-view", "leftover", "interrupted", "lost-answer"],
      edits: [
        {
          right:
            "if (!current || current.metadata.uid !== uid || current.metadata.deletionTimestamp) return;",
          wrong: "",
        },
        {
          right: "const current = await client.find(HostRecord, request, { live: true });",
          wrong: "",
        },
      ],
    },
  ],
};
