import { randomBytes } from "node:crypto";
import {
  ApiError,
  type Context,
  type Desired,
  type Manager,
  setCondition,
  type Stored,
} from "@tsbuilder/runtime";
import { Secret } from "@tsbuilder/runtime/k8s/core/v1";
import { Database, User } from "./types.ts";

// +kubebuilder:rbac:groups=db.example.com,resources=databases;users,verbs=get;list;watch;patch;update
// +kubebuilder:rbac:groups=db.example.com,resources=databases/status;users/status,verbs=patch
// +kubebuilder:rbac:groups=db.example.com,resources=databases/finalizers;users/finalizers,verbs=update
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

const server = "http://db.example.com";
/** On each Secret: namespace, name and uid of its user, which may be in another namespace. */
const ofUser = "db.example.com/user";

export function setup(manager: Manager): void {
  const { client, cache } = manager;
  cache.addIndex(User, "spec.database", ({ spec }) => [spec.database]);

  manager
    .controllerFor(Database)
    .finalizer("db.example.com/dropped", async ({ metadata }, context) => {
      // The server refuses it while there are logins. Their users drop them when they see that the database goes.
      await call("DELETE", `databases/${metadata.uid}`, context);
    })
    .complete({
      async reconcile(request, context) {
        const database = await client.find(Database, request);
        if (!database) return;
        const { spec, metadata, status = {} } = database;
        const current = await client.find(Database, request, { live: true });
        if (current?.metadata.uid !== metadata.uid || current?.metadata.deletionTimestamp) return;
        await call("PUT", `databases/${metadata.uid}`, context, { sessions: spec.sessions ?? 100 });
        const ready = { type: "Ready", status: "True", reason: "Created", message: "" } as const;
        await client.patchStatus(Database, database, {
          observedGeneration: metadata.generation!,
          conditions: setCondition(status.conditions ?? [], ready),
        });
        return { requeueAfter: "10m" };
      },
    });

  manager
    .controllerFor(User)
    .watches(Database, async ({ metadata: { namespace, name } }) => {
      const users = await client.list(User, { namespace, fields: { "spec.database": name } });
      return users.map(({ metadata }) => ({ namespace, name: metadata.name }));
    })
    .watches(Secret, ({ metadata: { annotations } }) => {
      const [namespace, name] = annotations?.[ofUser]?.split("/") ?? [];
      return namespace && name ? [{ namespace, name }] : [];
    })
    .finalizer("db.example.com/logged-out", (user, context) => withdraw(user, context))
    .complete({
      async reconcile(request, context) {
        const user = await client.find(User, request);
        if (!user) return;
        const { spec, metadata, status = {} } = user;
        const key = { namespace: request.namespace, name: spec.database };
        const database =
          (await client.find(Database, key)) ?? (await client.find(Database, key, { live: true }));
        if (!database || database.metadata.deletionTimestamp) {
          await withdraw(user, context);
          await report(user, "False", "NoDatabase", undefined);
          return;
        }
        if (!database.status?.conditions?.some((one) => one.type === "Ready" && one.status === "True")) {
          await report(user, "False", "DatabaseNotReady", status.secret);
          return;
        }
        // The cache may be older than the cleanup: what is made now would stay for ever.
        const current = await client.find(User, request, { live: true });
        if (current?.metadata.uid !== metadata.uid || current?.metadata.deletionTimestamp) return;
        // It is stored before the server is told, so that a process that dies in between still knows it.
        const password = await passwordOf(user);
        const content = { login: metadata.uid, database: database.metadata.uid, password };
        await client.apply(Secret, secretFor(user, request.namespace, content), { owner: user });
        const login = { database: content.database, access: spec.access ?? "read", password };
        await call("PUT", `logins/${metadata.uid}`, context, login);
        if (await copy(user, content)) {
          await report(user, "True", "LoggedIn", nameOf(user));
          return { requeueAfter: "10m" };
        }
        await report(user, "False", "NamespaceMissing", nameOf(user));
        return { requeueAfter: "30s" };
      },
    });

  /** The password in the Secret, or a new one if it has none. */
  async function passwordOf(user: Stored<User>): Promise<string> {
    const held = (await find(user, user.metadata.namespace))?.data?.["password"];
    return held ? Buffer.from(held, "base64").toString() : randomBytes(18).toString("base64url");
  }

  /** Copies the Secret to where it belongs, and deletes it elsewhere. Returns whether all of the namespaces exist. */
  async function copy(user: Stored<User>, content: Record<string, string>): Promise<boolean> {
    const wanted = new Set([user.metadata.namespace, ...(user.spec.copies ?? [])]);
    let isComplete = true;
    for (const namespace of wanted) {
      if (namespace === user.metadata.namespace) continue;
      try {
        await find(user, namespace);
        await client.apply(Secret, secretFor(user, namespace, content));
      } catch (error) {
        if (!(error instanceof ApiError && error.isNotFound)) throw error;
        isComplete = false;
      }
    }
    await prune(user, wanted, false);
    return isComplete;
  }

  /** Takes the login from the server, and the Secrets from all namespaces. The cache may not know all of them yet. */
  async function withdraw(user: Stored<User>, context: Context): Promise<void> {
    await call("DELETE", `logins/${user.metadata.uid}`, context);
    await prune(user, new Set(), true);
  }

  /** Finds the user's Secret in a namespace. Throws if there is one of this name that isn't the user's. */
  async function find(user: Stored<User>, namespace: string): Promise<Stored<Secret> | undefined> {
    const key = { namespace, name: nameOf(user) };
    const secret = (await client.find(Secret, key)) ?? (await client.find(Secret, key, { live: true }));
    if (secret && secret.metadata.annotations?.[ofUser] !== idOf(user))
      throw new Error(`the Secret ${namespace}/${key.name} was made by somebody else`);
    return secret;
  }

  /** Deletes the user's Secrets in all namespaces but those to keep. */
  async function prune(user: Stored<User>, kept: ReadonlySet<string>, live: boolean): Promise<void> {
    for (const secret of await client.list(Secret, { fields: { "metadata.name": nameOf(user) }, live })) {
      const { annotations, namespace, uid } = secret.metadata;
      if (annotations?.[ofUser] !== idOf(user) || kept.has(namespace)) continue;
      await client.delete(Secret, secret, { preconditions: { uid } });
    }
  }

  async function report(
    user: Stored<User>,
    status: "True" | "False",
    reason: string,
    secret: string | undefined,
  ): Promise<void> {
    const ready = { type: "Ready", status, reason, message: "" } as const;
    await client.patchStatus(User, user, {
      observedGeneration: user.metadata.generation!,
      ...(secret !== undefined && { secret }),
      conditions: setCondition(user.status?.conditions ?? [], ready),
    });
  }
}

/** Namespaces have no dots, so users of two namespaces have different Secrets, wherever these are copied to. */
function nameOf({ metadata }: Stored<User>): string {
  return `${metadata.namespace}.${metadata.name}`;
}

function idOf({ metadata: { namespace, name, uid } }: Stored<User>): string {
  return `${namespace}/${name}/${uid}`;
}

function secretFor(user: Stored<User>, namespace: string, content: Record<string, string>): Desired<Secret> {
  const metadata = { name: nameOf(user), namespace, annotations: { [ofUser]: idOf(user) } };
  const encode = ([key, value]: [string, string]) => [key, Buffer.from(value).toString("base64")] as const;
  return { metadata, data: Object.fromEntries(Object.entries(content).map(encode)) };
}

/** Calls the server. Undefined says that there is no such thing, which is fine for one that is to be deleted. */
async function call(method: string, path: string, { signal }: Context, body?: object): Promise<unknown> {
  const url = `${server}/${path}`;
  const response = await fetch(url, { method, signal, ...(body && { body: JSON.stringify(body) }) });
  if (response.status === 404 && method !== "PUT") return undefined;
  if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}`);
  return response.json();
}
