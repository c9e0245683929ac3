import { containerTools, findContainerTool } from "../../ship/images/container-tool.ts";
import { runTool } from "../../ship/tool.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import type { Finding } from "../reporting/report.ts";

/** Checks the machine for tools that are required, and for those that only some commands need. */
export async function checkTools(): Promise<Finding[]> {
  return [
    checkNode(process.versions.node),
    ...(await Promise.all([
      checkTool("npm", ["--version"], "npm comes with Node: reinstall Node", "wrong"),
      checkContainerTool(),
      checkTool(
        "kubectl",
        ["version", "--client"],
        "install it to deploy: https://kubernetes.io/docs/tasks/tools",
      ),
      checkTool("kustomize", ["version"], "not needed: kubectl includes it"),
      checkTool("helm", ["version", "--short"], "install it to work with charts: https://helm.sh"),
      checkTool(
        "kind",
        ["version"],
        "not needed for tsbuilder test --e2e; npm run test-e2e uses it: https://kind.sigs.k8s.io",
      ),
    ])),
    await checkContext(),
  ];
}

const minNode = [20, 19] as const;

/** Compares a version with the oldest supported one. */
export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isNew = major > minNode[0] || (major === minNode[0] && minor >= minNode[1]);
  if (isNew) return { state: "good", subject: "node", message: version };
  const remedy = `install Node ${minNode.join(".")} or later: https://nodejs.org`;
  return { state: "wrong", subject: "node", message: `${version} is too old`, remedy };
}

/** Runs a tool that prints its version. If that fails, the finding has the given state. */
async function checkTool(
  tool: string,
  args: readonly string[],
  remedy: string,
  state: "missing" | "wrong" = "missing",
): Promise<Finding> {
  try {
    const { stdout } = await runTool({ tool, args });
    return { state: "good", subject: tool, message: stdout.trim().split("\n")[0] ?? "" };
  } catch (error) {
    if (!(error instanceof TsbuilderError)) throw error;
    return { state, subject: tool, message: error.message, remedy };
  }
}

/** Finds a container tool whose daemon responds: a client alone can't build images. */
async function checkContainerTool(): Promise<Finding> {
  const subject = "container tool";
  try {
    return { state: "good", subject, message: await findContainerTool() };
  } catch (error) {
    if (!(error instanceof TsbuilderError)) throw error;
    const remedy = `install or start one of ${containerTools.join(", ")} to build images`;
    return { state: "missing", subject, message: error.message, remedy };
  }
}

/** Reads only the kubeconfig; does not contact the cluster. */
async function checkContext(): Promise<Finding> {
  const subject = "kubeconfig";
  try {
    const { stdout } = await runTool({ tool: "kubectl", args: ["config", "current-context"] });
    return { state: "good", subject, message: `the current context is "${stdout.trim()}"` };
  } catch (error) {
    if (!(error instanceof TsbuilderError)) throw error;
    const remedy = "set one to deploy: kubectl config use-context NAME. tsbuilder dev needs none";
    return { state: "missing", subject, message: "there is no current context", remedy };
  }
}
