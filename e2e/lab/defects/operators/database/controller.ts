import { randomBytes } from "node:crypto";
import {
  Children,
  type Condition,
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

export function setup(manager: Manager): void {
  const { client, cache, clock } = manager;
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
    .owns(Secret, { byLabel: true })
    .finalizer("db.example.com/logged-out", (user, context) => withdraw(user, context))
    .complete({
      async reconcile(request, context) {
        const user = await client.find(User, request);
        if (!user) return;
        const { spec, metadata, status = {} } = user;
        const key = { namespace: request.namespace, name: spec.database };
        const database =
          (await client.find(Database, key)) ?? (await client.find(Database, key, { live: true }));
        const children = new Children(client, user, { clock });
        if (!database || database.metadata.deletionTimestamp) {
          await withdraw(user, context);
          await children.prune(Secret);
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
        const name = nameOf(user);
        const password = await passwordOf(user);
        const secret = secretFor({ login: metadata.uid, database: database.metadata.uid, password });
        await children.set(Secret, name, secret);
        if (children.rejections.length === 0) {
          const { access = "read", login: alias = request.name } = spec;
          const login = { database: database.metadata.uid, access, alias, password };
          await call("PUT", `logins/${metadata.uid}`, context, login);
          for (const namespace of spec.copies ?? []) await children.set(Secret, { namespace, name }, secret);
        }
        await children.prune(Secret);
        const [rejection] = children.rejections;
        const conditions = rejection
          ? await report(user, "False", rejection.reason, name)
          : await report(user, "True", "LoggedIn", name);
        return children.result(conditions[0]) ?? { requeueAfter: "10m" };
      },
    });

  /** The password in the Secret, or a new one if it has none. The cache may not know it yet. */
  async function passwordOf(user: Stored<User>): Promise<string> {
    const secret = await new Children(client.with({ live: true }), user).find(Secret, nameOf(user));
    const held = secret?.data?.["password"];
    return held ? Buffer.from(held, "base64").toString() : randomBytes(18).toString("base64url");
  }

  /** Takes the login from the server. */
  async function withdraw(user: Stored<User>, context: Context): Promise<void> {
    await call("DELETE", `logins/${user.metadata.uid}`, context);
  }

  async function report(
    user: Stored<User>,
    status: "True" | "False",
    reason: string,
    secret: string | undefined,
  ): Promise<Condition[]> {
    const ready = { type: "Ready", status, reason, message: "" } as const;
    const conditions = setCondition(user.status?.conditions, ready, clock);
    const observedGeneration = user.metadata.generation;
    await client.patchStatus(User, user, { observedGeneration, secret, conditions });
    return conditions;
  }
}

/** Namespaces have no dots, so users of two namespaces have different Secrets, wherever these are copied to. */
function nameOf({ metadata }: Stored<User>): string {
  return `${metadata.namespace}.${metadata.name}`;
}

function secretFor(content: Readonly<Record<string, string>>): Desired<Secret> {
  const encode = ([key, value]: [string, string]) => [key, Buffer.from(value).toString("base64")] as const;
  return { metadata: {}, data: Object.fromEntries(Object.entries(content).map(encode)) };
}

/** Calls the server. Undefined says that there is no such thing, which is fine for one that is to be deleted. */
async function call(method: string, path: string, { signal }: Context, body?: object): Promise<unknown> {
  const url = `${server}/${path}`;
  const response = await fetch(url, { method, signal, ...(body && { body: JSON.stringify(body) }) });
  if (response.status === 404 && method !== "PUT") return undefined;
  if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}`);
  return response.json();
}
