import { external } from "@tsbuilder/simulation";
import type { Exam } from "../../exam.ts";
import { Quorum } from "./types.ts";

/** Servers that know their members, and let one of them go at a time. A cluster begins with its first server. */
const servers = external({
  state: () => ({
    members: new Map<string, string[]>(),
    leaving: new Map<string, { readonly member: string; readonly until: number }>(),
  }),
  exec({ pod, command }, { members, leaving }) {
    const [, , cluster = "", verb = "", action = "", member = ""] = command;
    const self = pod.split("/").at(-1)!;
    const first = self.replace(/-\d+$/u, "-0");
    const known = members.get(cluster) ?? [first];
    switch (`${verb} ${action}`.trim()) {
      case "member list":
        return answer(0, known.join("\n"));
      case "member add":
        if (known.includes(member)) return answer(1, `${member} is a member already`);
        members.set(cluster, [...known, member].sort());
        return answer(0);
      case "member remove":
        if (!known.includes(member)) return answer(1, `${member} is no member`);
        members.set(
          cluster,
          known.filter((other) => other !== member),
        );
        if (known.length === 2) members.delete(cluster);
        return answer(0);
      case "health":
        return answer(known.includes(self) ? 0 : 1);
      case "leave": {
        const other = leaving.get(cluster);
        if (other && other.member !== self && Date.now() < other.until)
          return answer(1, `${other.member} isn't back yet`);
        if (known.length > 1) leaving.set(cluster, { member: self, until: Date.now() + 8000 });
        return answer(0);
      }
      case "retire":
        members.delete(cluster);
        leaving.delete(cluster);
        return answer(0);
      default:
        return answer(2, `unknown command ${command.join(" ")}`);
    }
  },
});

function answer(exitCode: number, text = "") {
  return exitCode === 0 ? { exitCode, stdout: text } : { exitCode, stderr: text };
}

interface Labelled {
  readonly metadata: {
    readonly uid?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly uid: string }[];
  };
  readonly status?: {
    readonly updateRevision?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

export const exam: Exam = {
  kind: Quorum,
  world: () => ({
    external: { servers },
    controllers: ["statefulset", "disruption", "scheduler", "node", "kubelet"],
    operations: {
      values: { "spec.version": ["v3.5.9", "v3.6.1"], "spec.memory": ["256Mi", "512Mi"] },
    },
    // The last member that left, and when.
    mayStay: ({ apiVersion, kind }) => apiVersion === "external" && kind === "leaving",
    mayDiffer: ({ apiVersion, kind }) => apiVersion === "external" && kind === "leaving",
  }),
  promises: {
    eventually: {
      "servers that are all ready are as the StatefulSet says": (state) =>
        (state.list("StatefulSet") as readonly Labelled[]).every(({ metadata: { uid }, status }) => {
          const pods = (state.list("Pod") as readonly Labelled[]).filter(({ metadata }) =>
            metadata.ownerReferences?.some((owner) => owner.uid === uid),
          );
          const areReady = pods.every((pod) =>
            pod.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True"),
          );
          const isNew = ({ metadata: { labels } }: Labelled) =>
            labels?.["controller-revision-hash"] === status?.updateRevision;
          return !areReady || pods.every(isNew);
        }),
    },
  },
  defects: [
    {
      name: "member-added-twice",
      seenIn:
        "bitnami/charts#1513: a member was added, its server didn't start, and adding it again fails for ever",
      classes: ["interrupted", "unretried", "drift", "error", "stale-view", "lost-answer"],
      edits: [
        {
          right: "[...Array(Math.min(size, running + 1)).keys()].find((one) => !members.includes(one));",
          wrong: "running < size ? running : undefined;",
        },
      ],
    },
    {
      name: "members-stay",
      seenIn:
        "pravega/zookeeper-operator#103: servers are stopped without being removed from the ensemble, which counts them",
      classes: ["history"],
      edits: [
        { right: "if (last >= size || running > size) {", wrong: "if (running > size) {" },
        {
          right: 'if (last >= size) await run(server, quorum, "member", "remove", `${name}-${last}`);',
          wrong: "",
        },
        { right: "Math.min(running, Math.max(size, last))", wrong: "size" },
      ],
    },
    {
      name: "pods-of-all-namespaces",
      seenIn:
        "lists without a namespace, which is the default of most clients: fine until a second team installs it",
      classes: ["collision", "foreign-object", "fight", "hot-loop"],
      edits: [
        {
          right: "client.list(Pod, { namespace, labels: { [nameLabel]: name } })",
          wrong: "client.list(Pod, { labels: { [nameLabel]: name } })",
        },
        { right: "const { namespace, name, uid } = metadata;", wrong: "const { name } = metadata;" },
        { right: "some((owner) => owner.uid === uid)", wrong: "some((owner) => owner.name === name)" },
      ],
    },
    {
      name: "waits-for-broken-pod",
      seenIn:
        "opensearch-project/opensearch-k8s-operator#643: a server that can't start blocks the change that would fix it",
      classes: ["stuck"],
      edits: [{ right: "if (broken) return replace(broken);", wrong: "" }],
    },
    {
      name: "only-image-compared",
      seenIn:
        "operators that replace pods themselves, and forget that more than the version changes the template",
      classes: ["promise", "history"],
      edits: [
        {
          right: `function isOutdated({ metadata }: Stored<Pod>, { status }: Stored<StatefulSet>): boolean {
  return metadata.labels?.["controller-revision-hash"] !== status?.updateRevision;`,
          wrong: `function isOutdated({ spec }: Stored<Pod>, set: Stored<StatefulSet>): boolean {
  return spec?.containers[0]?.image !== set.spec?.template.spec?.containers[0]?.image;`,
        },
      ],
    },
  ],
};
