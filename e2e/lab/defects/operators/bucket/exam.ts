import { external } from "@tsbuilder/simulation";
import type { Exam } from "../../exam.ts";
import { Bucket } from "./types.ts";

export const exam: Exam = {
  kind: Bucket,
  world: () => ({
    external: {
      store: external({
        state: () => ({ buckets: new Map<string, object>() }),
        async handle(request, { buckets }) {
          const id = new URL(request.url).pathname.slice("/buckets/".length);
          const bucket = buckets.get(id);
          if (!bucket && request.method !== "PUT") return new Response("{}", { status: 404 });
          if (request.method === "DELETE") buckets.delete(id);
          else if (request.method !== "GET")
            buckets.set(id, { ...bucket, ...((await request.json()) as object) });
          return Response.json(buckets.get(id) ?? {});
        },
      }),
    },
  }),
  defects: [
    {
      name: "cleanup-ignores-errors",
      seenIn: "cleanups of cloud resources that return after a 500 or a throttled answer",
      classes: ["leftover", "unretried"],
      edits: [{ right: "if (!response.ok) throw", wrong: 'if (!response.ok && method !== "DELETE") throw' }],
    },
    {
      name: "absent-after-any-error",
      seenIn: "operators that take an error of the first read for a resource that is not there",
      classes: ["unretried", "history"],
      edits: [
        {
          right: "if (response.status === none) return undefined;",
          wrong: "if (none && !response.ok) return undefined;",
        },
      ],
    },
    {
      name: "named-by-name",
      seenIn: "resources of a whole account that are named by the object's name, without its namespace",
      classes: ["collision", "foreign-object"],
      edits: [
        { right: "const id = metadata.uid;", wrong: "const id = request.name;" },
        { right: "bucket.metadata.uid, context", wrong: "bucket.metadata.name, context" },
      ],
    },
    {
      name: "set-only-at-creation",
      seenIn: "Acto: fields that are passed on when the resource is made, and never again",
      classes: ["history"],
      edits: [
        {
          right: '} else if (present["expireAfterDays"] !== settings.expireAfterDays) {',
          wrong: "} else if (false) {",
        },
      ],
    },
    {
      name: "created-under-a-new-id",
      seenIn:
        "APIs that choose the id: it is noted in the status after the call, and a process dies in between",
      classes: ["interrupted", "leftover", "lost-answer"],
      edits: [
        {
          right: "const id = metadata.uid;",
          wrong: "const id = status.url?.slice(store.length + 1) ?? crypto.randomUUID();",
        },
        {
          right: "bucket.metadata.uid, context",
          wrong: 'bucket.status?.url?.slice(store.length + 1) ?? "", context',
        },
      ],
    },
  ],
};
