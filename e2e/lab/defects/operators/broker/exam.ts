import { external } from "@tsbuilder/simulation";
import type { Exam } from "../../exam.ts";
import { Topic } from "./types.ts";

interface Stored {
  readonly owner: string | null;
  readonly partitions: number;
  readonly retentionHours: number | null;
}

interface Stock {
  readonly topics: Map<string, Stored>;
}

const namespaces = ["default", "other"];
const brokers = ["main", "spare"];

/** A broker for several tenants: a token admits topics whose names begin with its tenant. */
function standIn(name: string, stored: Readonly<Record<string, Stored>> = {}) {
  return external({
    url: `http://${name}.example.com/`,
    state: (): Stock => ({ topics: new Map(Object.entries(stored)) }),
    async handle(request, { topics }) {
      const topic = new URL(request.url).pathname.slice("/topics/".length);
      const [tenant = ""] = topic.split(".");
      if (request.headers.get("authorization") !== `Bearer token of ${tenant}`)
        return Response.json({}, { status: 403 });
      const present = topics.get(topic);
      if (request.method === "PUT") {
        const wish = (await request.json()) as Stored;
        if (present && wish.partitions < present.partitions) return Response.json({}, { status: 409 });
        topics.set(topic, wish);
        return Response.json(wish);
      }
      if (!present) return Response.json({}, { status: 404 });
      if (request.method === "DELETE") topics.delete(topic);
      return Response.json(present);
    },
  });
}

const ofBilling: Stored = { owner: "billing", partitions: 6, retentionHours: null };
const long = "events-of-the-warehouses-".repeat(5);

export const exam: Exam = {
  kind: Topic,
  world: () => ({
    external: { main: standIn("main", { "default.orders": ofBilling }), spare: standIn("spare") },
    objects: namespaces.flatMap((namespace) => [
      {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { namespace, name: "broker-token" },
        stringData: { token: `token of ${namespace}` },
      },
      ...brokers.map((name) => ({
        apiVersion: "messaging.example.com/v1",
        kind: "Broker",
        metadata: { namespace, name },
        spec: { url: `http://${name}.example.com`, tokenSecret: "broker-token" },
      })),
    ]),
    operations: {
      names: ["orders", "payments", `${long}eu`, `${long}us`],
      values: { "spec.broker": ["main", "spare", "absent"] },
    },
    // Retained topics, and the number of their partitions.
    mayStay: (object) => (object as { value?: Partial<Stored> }).value?.owner === null,
    mayDiffer: ({ kind }, field = "") =>
      (kind === "Topic" && field === "status.partitions") ||
      (kind === "topics" && field === "value.partitions"),
  }),
  promises: {
    always: {
      "the topic of the billing team stays as it is": ({ external: { main } }) =>
        (main as Stock).topics.get("default.orders")?.owner === "billing",
    },
  },
  defects: [
    {
      name: "secret-not-watched",
      seenIn:
        "tempo-operator 551, azure-service-operator 2385, keycloak 22170, tailscale 20717: a Secret that comes later, or changes, causes no reconcile",
      classes: ["missed-event", "history", "stuck"],
      edits: [
        {
          right: `    .watches(Secret, async ({ metadata: { namespace, name } }) => {
      const brokers = await client.list(Broker, { namespace, fields: { "spec.tokenSecret": name } });
      return (await Promise.all(brokers.map(topicsOf))).flat();
    })
`,
          wrong: "",
        },
      ],
    },
    {
      name: "token-kept-by-address",
      seenIn:
        "clients that are kept by the address of an API (aspera-cli 184, cntb 15): the first token is used for all tenants, and a new one never",
      // Once one token is kept, it is an old view of the Secret.
      classes: ["collision", "error", "stale-view"],
      edits: [
        {
          right: "const { client, cache, clock } = manager;",
          wrong: "const { client, cache, clock } = manager;\n  const tokens = new Map<string, string>();",
        },
        {
          right: 'const token = secret?.data?.["token"];',
          wrong: `const address = broker?.spec.url ?? "";
    const token = tokens.get(address) ?? secret?.data?.["token"];
    if (token !== undefined) tokens.set(address, token);`,
        },
      ],
    },
    {
      name: "cleanup-needs-the-broker",
      seenIn:
        "koperator 262 and 653, strimzi-kafka-operator 11901: topics that stay in deletion for ever, because what they name is gone",
      classes: ["leftover", "error", "stuck"],
      edits: [
        {
          right:
            "      if (!(await client.find(Broker, { namespace, name: spec.broker }, { live: true }))) return;\n",
          wrong: "",
        },
      ],
    },
    {
      name: "made-without-a-live-read",
      seenIn:
        "crossplane 749, crossplane-runtime 283 (Sieve: stale states): a view that is older than the cleanup makes the resource again, and nothing deletes it",
      classes: ["stale-view", "interrupted", "leftover", "lost-answer"],
      edits: [
        {
          right: "const current = await client.find(Topic, request, { live: true });",
          wrong: "const current = topic;",
        },
      ],
    },
    {
      // Only its author knows whose the topic is.
      name: "takes-what-others-made",
      seenIn:
        "crossplane 2753, the adoption policies of azure-service-operator 2067: a resource that was there before is taken, changed, and deleted with the object",
      classes: ["promise", "foreign-object"],
      edits: [
        {
          right: "if (present?.owner && present.owner !== metadata.uid) {",
          wrong: "if (false) {",
        },
      ],
    },
  ],
};
