/** An operator like kro's example network-stack: subnets and a security group in a VPC, whose identity they need. */
import {
  Children,
  type Condition,
  type CustomResource,
  defineKind,
  type KubernetesObject,
  type Manager,
  setCondition,
  type Stored,
} from "@tsbuilder/runtime";

interface NetworkStack extends CustomResource<{}, { vpcID?: string; conditions?: Condition[] }> {}
export const NetworkStack = defineKind<NetworkStack>(
  { group: "example.com", version: "v1" },
  { kind: "NetworkStack", plural: "networkstacks" },
);

interface Resource<Spec> extends KubernetesObject {
  spec: Spec;
  status?: { id?: string };
}
const aws = { group: "ec2.services.k8s.aws", version: "v1alpha1" };
export const Vpc = defineKind<Resource<{ cidrBlocks: string[] }>>(aws, { kind: "VPC", plural: "vpcs" });
export const Subnet = defineKind<Resource<{ availabilityZone: string; cidrBlock: string; vpcID: string }>>(
  aws,
  {
    kind: "Subnet",
    plural: "subnets",
  },
);
export const SecurityGroup = defineKind<Resource<{ name: string; vpcID: string }>>(aws, {
  kind: "SecurityGroup",
  plural: "securitygroups",
});

const zones = {
  "us-west-2a": "192.168.0.0/18",
  "us-west-2b": "192.168.64.0/18",
  "us-west-2c": "192.168.128.0/18",
};
const hasId = ({ status }: Resource<unknown>): boolean => status?.id !== undefined;

function childrenOf({ client, clock }: Manager, stack: Stored<NetworkStack>) {
  const { name } = stack.metadata;
  const children = new Children(client, stack, { clock });
  const vpc = children.add(
    Vpc,
    name,
    { metadata: {}, spec: { cidrBlocks: ["192.168.0.0/16"] } },
    { readyWhen: hasId },
  );
  const vpcID = (): string => vpc.object?.status?.id ?? "";
  const inVpc = { after: vpc, deletedBefore: vpc, readyWhen: hasId };
  for (const [zone, cidrBlock] of Object.entries(zones))
    children.add(
      Subnet,
      `${name}-${zone}`,
      () => ({ metadata: {}, spec: { availabilityZone: zone, cidrBlock, vpcID: vpcID() } }),
      inVpc,
    );
  children.add(SecurityGroup, name, () => ({ metadata: {}, spec: { name, vpcID: vpcID() } }), inVpc);
  return { children, vpc };
}

export function setupNetworkStackController(manager: Manager): void {
  const { client, clock } = manager;
  manager
    .controllerFor(NetworkStack)
    .owns(Vpc)
    .owns(Subnet)
    .owns(SecurityGroup)
    .finalizer("example.com/network", (stack) => childrenOf(manager, stack).children.delete())
    .complete({
      async reconcile(request) {
        const stack = await client.find(NetworkStack, request);
        if (!stack) return;
        const { children, vpc } = childrenOf(manager, stack);
        await children.apply();
        const conditions = setCondition(stack.status?.conditions, children.condition("Ready"), clock);
        await client.patchStatus(NetworkStack, stack, { vpcID: vpc.object?.status?.id, conditions });
        return children.result(conditions[0]);
      },
    });
}
