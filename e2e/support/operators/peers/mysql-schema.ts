/** An operator like JOSDK's sample mysql-schema: a schema on a server outside of the cluster, and a Secret with its user. */
import { randomBytes } from "node:crypto";
import {
  type Condition,
  type CustomResource,
  defineKind,
  type Manager,
  pollSource,
  setCondition,
} from "@tsbuilder/runtime";
import { Secret } from "@tsbuilder/runtime/k8s/core/v1";

interface MySQLSchema extends CustomResource<
  { encoding: string },
  { userName?: string; conditions?: Condition[] }
> {}
export const MySQLSchema = defineKind<MySQLSchema>(
  { group: "example.com", version: "v1" },
  { kind: "MySQLSchema", plural: "mysqlschemas" },
);

/** A schema on the server; its name is the object's key. */
export interface Schema {
  readonly name: string;
  readonly encoding: string;
}

/** The server. Each call may be repeated. */
export interface SchemaServer {
  list(signal: AbortSignal): Promise<readonly Schema[]>;
  create(schema: Schema, user: { readonly name: string; readonly password: string }): Promise<void>;
  drop(name: string): Promise<void>;
}

export const setupMySQLSchemaController =
  (server: SchemaServer) =>
  (manager: Manager): void => {
    const { client, clock } = manager;
    const schemas = pollSource<Schema, { namespace: string; name: string }>({
      name: "mysql",
      every: "30s",
      list: (signal) => server.list(signal),
      key: ({ name }) => name,
      requests: ({ name }) => {
        const [namespace, object] = name.split("/");
        return namespace && object ? [{ namespace, name: object }] : [];
      },
    });
    manager
      .controllerFor(MySQLSchema)
      .owns(Secret)
      .watchesSource(schemas)
      .finalizer("example.com/schema", async ({ metadata: { namespace, name } }) => {
        await server.drop(`${namespace}/${name}`);
        schemas.wroteDeletion(`${namespace}/${name}`);
      })
      .complete({
        async reconcile(request) {
          const owner = await client.find(MySQLSchema, request);
          if (!owner) return;
          const { encoding } = owner.spec;
          const key = { namespace: request.namespace, name: `${request.name}-mysql` };
          // The password is stored before the server is told, and is never another one.
          const secret =
            (await client.find(Secret, key)) ??
            (await client.create(
              Secret,
              {
                metadata: key,
                data: { password: Buffer.from(randomBytes(18).toString("base64url")).toString("base64") },
              },
              { owner },
            ));
          const schema = { name: `${request.namespace}/${request.name}`, encoding };
          if (schemas.get(schema.name)?.encoding !== encoding) {
            const password = Buffer.from(secret.data?.["password"] ?? "", "base64").toString();
            await server.create(schema, { name: request.name, password });
            schemas.wrote(schema);
          }
          const ready = { type: "Ready", status: "True", reason: "Created" } as const;
          const conditions = setCondition(owner.status?.conditions, ready, clock);
          await client.patchStatus(MySQLSchema, owner, { userName: request.name, conditions });
        },
      });
  };
