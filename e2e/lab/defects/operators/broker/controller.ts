import {
  ApiError,
  type Context,
  keyOf,
  type KubernetesObject,
  type Manager,
  type NamespacedName,
  type Result,
  setCondition,
  type Stored,
} from "@tsbuilder/runtime";
import { Secret } from "@tsbuilder/runtime/k8s/core/v1";
import { Broker, Topic } from "./types.ts";

// +kubebuilder:rbac:groups=messaging.example.com,resources=topics,verbs=get;list;watch;patch;update
// +kubebuilder:rbac:groups=messaging.example.com,resources=topics/status,verbs=patch
// +kubebuilder:rbac:groups=messaging.example.com,resources=topics/finalizers,verbs=update
// +kubebuilder:rbac:groups=messaging.example.com,resources=brokers,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get;list;watch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

interface Connection {
  readonly url: string;
  readonly token: string;
}

/** A topic, as the API of a broker has it. */
interface Present {
  /** The uid of the Topic; null if it was retained. Others write what they like. */
  readonly owner: string | null;
  readonly partitions: number;
  readonly retentionHours: number | null;
}

/** Keeps a topic on a broker for each Topic. */
export function setup(manager: Manager): void {
  const { client, cache, clock } = manager;
  cache.addIndex(Topic, "spec.broker", ({ spec }) => [spec.broker]);
  cache.addIndex(Broker, "spec.tokenSecret", ({ spec }) => [spec.tokenSecret]);
  manager
    .controllerFor(Topic)
    // A Broker and its Secret may come after the Topic, and change.
    .watches(Broker, topicsOf)
    .watches(Secret, async ({ metadata: { namespace, name } }) => {
      const brokers = await client.list(Broker, { namespace, fields: { "spec.tokenSecret": name } });
      return (await Promise.all(brokers.map(topicsOf))).flat();
    })
    .finalizer("messaging.example.com/topic", cleanUp)
    .complete({
      async reconcile(request, context) {
        const topic = await client.find(Topic, request);
        if (!topic) return;
        const connection = await connect(topic);
        if (!connection) {
          const message = `there is no Broker ${topic.spec.broker} with a token`;
          await report(topic, { status: "False", reason: "NoBroker", message });
          return;
        }
        try {
          return await synchronise(topic, connection, context);
        } catch (error) {
          if (error instanceof ApiError) throw error;
          await report(topic, { status: "False", reason: "BrokerFailed", message: String(error) });
          throw error;
        }
      },
    });

  async function synchronise(
    topic: Stored<Topic>,
    connection: Connection,
    context: Context,
  ): Promise<Result> {
    const { metadata } = topic;
    const request = keyOf(topic);
    const path = pathOf(request);
    const present = await ask(connection, "GET", path, context);
    if (present?.owner && present.owner !== metadata.uid) {
      const message = `the topic belongs to ${present.owner}`;
      await report(topic, { status: "False", reason: "NameTaken", message });
      return { requeueAfter: "10m" };
    }
    const wish = wishOf(topic, present);
    if (!present || !isAsWished(present, wish)) {
      // The cache may be older than the cleanup: what is made now would stay for ever.
      const current = await client.find(Topic, request, { live: true });
      if (!current || current.metadata.uid !== metadata.uid || current.metadata.deletionTimestamp) return;
      await ask(connection, "PUT", path, context, wishOf(current, present));
    }
    await report(topic, { status: "True", reason: "Synchronised", message: "" }, wish.partitions);
    return { requeueAfter: "10m" };
  }

  async function cleanUp(topic: Stored<Topic>, context: Context): Promise<void> {
    const { spec, metadata } = topic;
    const { namespace } = metadata;
    const connection = await connect(topic);
    if (!connection) {
      // With the Broker went the way to its topics. That the cache has none may just mean that it is old.
      if (!(await client.find(Broker, { namespace, name: spec.broker }, { live: true }))) return;
      throw new Error(`there is no token for the Broker ${spec.broker}`);
    }
    const path = pathOf(keyOf(topic));
    const present = await ask(connection, "GET", path, context);
    if (!present || present.owner !== metadata.uid) return;
    // Messages can't be brought back, so the policy is that of now.
    const current = await client.find(Topic, keyOf(topic), { live: true });
    const { deletionPolicy } = current?.metadata.uid === metadata.uid ? current.spec : spec;
    if (deletionPolicy === "Retain") await ask(connection, "PUT", path, context, { ...present, owner: null });
    else await ask(connection, "DELETE", path, context);
  }

  /** Finds the API of a Topic's Broker; undefined if there is no Broker, or no token. */
  async function connect({ spec, metadata }: Stored<Topic>): Promise<Connection | undefined> {
    const { namespace } = metadata;
    const broker = await client.find(Broker, { namespace, name: spec.broker });
    const secret = broker && (await client.find(Secret, { namespace, name: broker.spec.tokenSecret }));
    const token = secret?.data?.["token"];
    if (!broker || token === undefined) return undefined;
    return { url: broker.spec.url, token: Buffer.from(token, "base64").toString() };
  }

  async function topicsOf({
    metadata: { namespace, name },
  }: Stored<KubernetesObject>): Promise<NamespacedName[]> {
    const topics = await client.list(Topic, { namespace, fields: { "spec.broker": name } });
    return topics.map((topic) => keyOf(topic));
  }

  async function report(
    topic: Stored<Topic>,
    ready: { readonly status: "True" | "False"; readonly reason: string; readonly message: string },
    partitions = topic.status?.partitions,
  ): Promise<void> {
    await client.patchStatus(Topic, topic, {
      observedGeneration: topic.metadata.generation!,
      topic: pathOf(keyOf(topic)).slice("/topics/".length),
      partitions,
      conditions: setCondition(topic.status?.conditions ?? [], { type: "Ready", ...ready }, clock),
    });
  }
}

/** A namespace has no dots, so no two Topics share a topic. */
function pathOf({ namespace, name }: NamespacedName): string {
  return `/topics/${namespace}.${name}`;
}

function wishOf({ spec, metadata }: Stored<Topic>, present: Present | undefined): Present {
  return {
    owner: metadata.uid,
    partitions: Math.max(spec.partitions, present?.partitions ?? 0),
    retentionHours: spec.retentionHours ?? null,
  };
}

function isAsWished(one: Present, other: Present): boolean {
  return (["owner", "partitions", "retentionHours"] as const).every((field) => one[field] === other[field]);
}

/** Asks a broker. Undefined says that there is no such topic. */
async function ask(
  { url, token }: Connection,
  method: "GET" | "PUT" | "DELETE",
  path: string,
  { signal }: Context,
  body?: Present,
): Promise<Present | undefined> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(url + path, {
    method,
    headers,
    signal,
    ...(body && { body: JSON.stringify(body) }),
  });
  if (response.status === 404 && method !== "PUT") return undefined;
  if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}`);
  return (await response.json()) as Present;
}
