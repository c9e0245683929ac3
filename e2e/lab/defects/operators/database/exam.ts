import { external } from "@tsbuilder/simulation";
import type { Exam } from "../../exam.ts";
import { User } from "./types.ts";
import { setupWebhooks } from "./webhooks.ts";

interface Login {
  readonly database: string;
  readonly access: string;
  readonly password: string;
}

/** A server that doesn't drop a database while somebody may log in. */
const db = external({
  state: () => ({ databases: new Map<string, object>(), logins: new Map<string, Login>() }),
  async handle(request, { databases, logins }) {
    const [collection = "", id = ""] = new URL(request.url).pathname.slice(1).split("/");
    const things: Map<string, object> = collection === "databases" ? databases : logins;
    if (request.method === "PUT") {
      const body = (await request.json()) as Login;
      if (things === logins && !databases.has(body.database)) return new Response("{}", { status: 422 });
      things.set(id, body);
    } else if (request.method === "DELETE") {
      if (things === databases && [...logins.values()].some(({ database }) => database === id))
        return new Response("{}", { status: 409 });
      return new Response("{}", { status: things.delete(id) ? 200 : 404 });
    }
    const thing = things.get(id);
    return Response.json(thing ?? {}, { status: thing ? 200 : 404 });
  },
});

export const exam: Exam = {
  kind: User,
  world: () => ({
    external: { db },
    webhooks: setupWebhooks,
    objects: ["default", "other"].flatMap((namespace) =>
      ["main", "reports"].map((name) => ({
        apiVersion: "db.example.com/v1",
        kind: "Database",
        metadata: { namespace, name },
        spec: {},
      })),
    ),
    operations: {
      values: {
        "spec.database": ["main", "reports", "not-there-yet"],
        "spec.copies": [undefined, ["other"], ["default"], ["default", "other"]],
      },
    },
    // The Databases are there from the start, and stay.
    mayStay: ({ apiVersion, kind }) => apiVersion === "external" && kind === "databases",
  }),
  promises: {
    eventually: {
      "the password in each Secret is that of its login": (state) => {
        const { logins } = state.external["db"] as { readonly logins: ReadonlyMap<string, Login> };
        return state.list("Secret").every((secret) => {
          const { login = "", password = "" } = (secret as { data?: Record<string, string> }).data ?? {};
          return logins.get(decode(login))?.password === decode(password);
        });
      },
    },
  },
  defects: [
    {
      name: "copies-stay",
      seenIn: "elastic/cloud-on-k8s#9681: copies of a Secret stay in a namespace that isn't named any more",
      classes: ["history"],
      edits: [
        {
          right: "await children.prune(Secret);\n        const [rejection]",
          wrong: "const [rejection]",
        },
      ],
    },
    {
      name: "password-not-passed-on",
      seenIn:
        "operators of PostgreSQL that make a new Secret for an existing role, and alter the role only if its rights differ",
      classes: ["promise", "drift", "interrupted", "unretried", "lost-answer"],
      edits: [
        {
          right: 'await call("PUT", `logins/${metadata.uid}`, context, login);',
          wrong: `const present = (await call("GET", \`logins/\${metadata.uid}\`, context)) as typeof login | undefined;
        if (present?.database !== login.database || present.access !== login.access)
          await call("PUT", \`logins/\${metadata.uid}\`, context, login);`,
        },
      ],
    },
    {
      name: "cleanup-needs-database",
      seenIn: "movetokube/postgres-operator#118 and #44: a user whose database is gone can't be deleted",
      classes: ["leftover", "error", "stuck"],
      edits: [
        {
          right: "(user, context) => withdraw(user, context)",
          wrong: `async (user, context) => {
      const { spec, metadata } = user;
      const database = await client.get(Database, { namespace: metadata.namespace, name: spec.database });
      context.log.info("Dropping the login", { database: database.metadata.uid });
      await withdraw(user, context);
    }`,
        },
      ],
    },
    {
      name: "time-in-message",
      seenIn: "conditions whose message says when it was looked last, so that each look wakes the next one",
      classes: ["hot-loop"],
      edits: [
        {
          right: 'status, reason, message: "" }',
          wrong: "status, reason, message: `looked at ${new Date().toISOString()}` }",
        },
      ],
    },
    {
      name: "database-not-watched",
      seenIn: "objects that wait for one that they refer to, and are looked at again after a restart only",
      classes: [
        "unretried",
        "history",
        "interrupted",
        "missed-event",
        "stale-view",
        "hot-loop",
        "lost-answer",
      ],
      edits: [
        {
          right: `.watches(Database, async ({ metadata: { namespace, name } }) => {
      const users = await client.list(User, { namespace, fields: { "spec.database": name } });
      return users.map(({ metadata }) => ({ namespace, name: metadata.name }));
    })
    `,
          wrong: "",
        },
      ],
    },
  ],
};

function decode(text: string): string {
  return Buffer.from(text, "base64").toString();
}
