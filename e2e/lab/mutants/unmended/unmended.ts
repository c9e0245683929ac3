import type { MistakeClass } from "@tsbuilder/simulation";
import type { scenarios } from "./scenarios.ts";

/** A mend that is taken out of the code, and the exploration that must notice. */
export interface Unmended {
  /** As the review named it that found the defect, or the part that a line is taken from. */
  readonly finding: string;
  readonly defect: string;
  readonly scenario: keyof typeof scenarios;
  /** Replacements that restore the code before the fix. Each text is in its file once. */
  readonly edits: ReadonlyArray<{ readonly file: string; readonly mended: string; readonly before: string }>;
  /** The classes under which it may be found. */
  readonly classes: readonly (MistakeClass | "nothing")[];
  /** Findings of the same exploration with the fix, because the scenario's operator is wrong. Default: none. */
  readonly mended?: MistakeClass;
}

const forgetsOwners = {
  file: "src/runtime/cache/cached-client.ts",
  mended: "last.outcome === fingerprintOf(current) && last.owned === ownedFieldsHash(manager, current)",
  before: "last.outcome === fingerprintOf(current)",
};

export const unmended: readonly Unmended[] = [
  {
    finding: "R2",
    defect: "an index function that throws loses watch events",
    scenario: "throwing index",
    edits: [
      {
        file: "src/runtime/cache/object-store.ts",
        mended: "      this.#onIndexError(name, object, error);\n      return [];",
        before: "      throw error;",
      },
    ],
    classes: ["observed-generation", "history"],
  },
  {
    finding: "R3",
    defect: "an error that can't be logged takes the worker",
    scenario: "error that can't be read",
    edits: [
      {
        file: "src/runtime/callbacks/callbacks.ts",
        mended: 'if (thrown instanceof Error && typeof thrown.message === "string") return thrown;',
        before: "if (thrown instanceof Error) return thrown;",
      },
      {
        file: "src/runtime/log/logger.ts",
        mended: "callSafely(\n      () => logger[level](message, fields),",
        before: "((run: () => void, _: unknown) => run())(\n      () => logger[level](message, fields),",
      },
      {
        file: "src/runtime/controller/controller.ts",
        mended: '      this.#report(new CallbackError("tracer", "the tracer", error));\n    } finally {',
        before: "      throw error;\n    }\n    {",
      },
    ],
    classes: ["hang", "history", "stuck", "error"],
  },
  {
    finding: "R4, O10",
    defect:
      "apply doesn't see that another manager took a field: an autoscaled Deployment ends with 1 replica",
    scenario: "autoscaling on, off and on",
    edits: [
      forgetsOwners,
      {
        // With the version of what it read, each of these applies is another one, and sent.
        file: "e2e/golden/app-operator/src/controller/appservice_controller.ts",
        mended: "metadata: { namespace, name, resourceVersion }",
        before: "metadata: { namespace, name }",
      },
    ],
    classes: ["promise"],
  },
  {
    finding: "R5",
    defect: "apply doesn't mend drift in fields that a transform hides",
    scenario: "hidden data",
    edits: [
      forgetsOwners,
      {
        file: "src/runtime/cache/create-cache.ts",
        mended: "withValues: transform !== undefined",
        before: "withValues: false",
      },
    ],
    classes: ["drift"],
  },
  {
    finding: "R6",
    defect: "a conflict of field managers is retried for ever without a word",
    scenario: "conflict of managers",
    edits: [
      {
        file: "src/runtime/controller/outcome.ts",
        mended: "error.isConflict && !error.isFieldManagerConflict",
        before: "error.isConflict",
      },
    ],
    classes: ["nothing", "history"],
    mended: "error",
  },
  {
    finding: "R7",
    defect: "a write whose retry the server asked for is repeated after the lease has run out",
    scenario: "leader that stands still",
    edits: [
      {
        file: "src/runtime/http/http-transport.ts",
        mended: "      this.#options.beforeSend?.(request);\n",
        before: "",
      },
      {
        file: "src/runtime/http/http-transport.ts",
        mended: "      return await this.#handle(request);\n",
        before: "      this.#options.beforeSend?.(request);\n      return await this.#handle(request);\n",
      },
    ],
    classes: ["without-lease"],
  },
  {
    finding: "R8",
    defect: "a process that waits for the lease consumes messages",
    scenario: "queue",
    edits: [
      {
        file: "src/runtime/controller/controller.ts",
        mended: "this.#spec.sources.filter(({ beforeLease }) => beforeLease)",
        before: "this.#spec.sources",
      },
    ],
    classes: ["without-lease"],
  },
  {
    finding: "work queue",
    defect: "a request is taken while another one of its key is processed",
    scenario: "queued steps",
    edits: [
      {
        file: "src/runtime/queue/work-queue.ts",
        mended: "    if (this.#working.has(entry.key)) return;\n",
        before: "",
      },
    ],
    classes: ["promise"],
  },
  {
    finding: "work queue",
    defect: "a request that came while another one of its key was processed is lost",
    scenario: "queued steps",
    edits: [
      {
        file: "src/runtime/queue/work-queue.ts",
        mended: "    this.#ready.add(entry);\n    this.#options.onReady();\n  }\n\n  /** Drops",
        before: "    this.#entries.delete(key);\n  }\n\n  /** Drops",
      },
    ],
    classes: ["hang"],
  },
  {
    finding: "apply memory",
    defect: "an apply that drops a field isn't sent",
    scenario: "shared applies",
    edits: [
      {
        file: "src/runtime/cache/cached-client.ts",
        mended: "if (last === undefined || last.desired !== desired) return false;",
        before: "if (last === undefined) return false;",
      },
    ],
    classes: ["collision"],
  },
  {
    finding: "several clusters",
    defect: "controllers of an added cluster don't wait for the lease",
    scenario: "several clusters",
    edits: [
      {
        file: "src/runtime/manager/cluster.ts",
        mended: "      needLeaderElection,\n      warmUp:",
        before: "      needLeaderElection: false,\n      warmUp:",
      },
    ],
    classes: ["without-lease"],
  },
  {
    finding: "certificates",
    defect: "once its Secret is gone, the certificates that other processes serve aren't trusted",
    scenario: "served certificates",
    edits: [
      {
        file: "src/runtime/webhook/managed-certificate.ts",
        mended: "const former = stored ? undefined : await findAuthority(client, service, converted());",
        before: "const former = undefined;",
      },
    ],
    classes: ["error"],
  },
  {
    finding: "certificates",
    defect: "a certificate is not replaced before it expires",
    scenario: "served certificates",
    edits: [
      {
        file: "src/runtime/webhook/managed-certificate.ts",
        mended: "    isGood(current.cert, now) &&\n",
        before: "",
      },
    ],
    classes: ["error"],
  },
  {
    finding: "controllers of a cluster",
    defect: "a write of a controller that failed isn't tried again",
    scenario: "failing writes",
    edits: [
      {
        file: "src/cluster/control-loop/control-loop.ts",
        mended: "    this.#requeueAfter(key, Math.min(baseBackoff * 2 ** failures, longestBackoff));\n",
        before: "",
      },
    ],
    classes: ["promise", "unretried"],
  },
];
