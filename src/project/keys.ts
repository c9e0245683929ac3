/** The documentation of a key in `PROJECT`. */
export interface ProjectKey {
  /** `string`, `boolean`, `list`, `mapping` or its possible values. */
  readonly type: string;
  readonly summary: string;
  /** The command that sets it. */
  readonly setBy?: string;
}

/** The keys of `PROJECT` by path: `[]` is an item of a list, `KEY` a key that the user chooses. */
export const projectKeys: Readonly<Record<string, ProjectKey>> = {
  version: { type: "string", summary: "Schema version of the file, the same as kubebuilder's: 3." },
  cliVersion: {
    type: "string",
    summary: "The version of tsbuilder that scaffolded the project.",
    setBy: "upgrade",
  },
  domain: { type: "string", summary: "Domain suffix of the API groups.", setBy: "init --domain" },
  projectName: {
    type: "string",
    summary: "Name of the project, and prefix of the objects of its deployment.",
    setBy: "init --project-name",
  },
  layout: {
    type: "list",
    summary: "typescript.tsbuilder.dev/v1, and the keys of plugins that apply to the whole project.",
    setBy: "init --plugins, edit --plugins",
  },
  multigroup: {
    type: "boolean",
    summary: "A folder for each API group: api/GROUP/VERSION instead of api/VERSION.",
    setBy: "edit --multigroup",
  },
  namespaced: {
    type: "boolean",
    summary: "The operator watches one namespace, with a Role instead of a ClusterRole.",
    setBy: "edit --namespaced",
  },
  license: {
    type: "apache2, copyright, none or file",
    summary: "The header of source files; file is that of --license-file.",
    setBy: "edit --license",
  },
  owner: { type: "string", summary: "Copyright owner in that header.", setBy: "edit --owner" },
  namespaces: {
    type: "list",
    summary: "The namespaces that a namespaced operator watches instead of its own.",
    setBy: "edit --namespaces",
  },
  features: {
    type: "list",
    summary: "Enabled features of the deployment; they are listed below.",
    setBy: "edit --enable, edit --disable",
  },
  resources: {
    type: "list",
    summary: "The kinds that the project defines or uses, each version an item.",
    setBy: "create api, create webhook",
  },
  "resources[].group": {
    type: "string",
    summary: "The API group without the domain.",
    setBy: "create api --group",
  },
  "resources[].domain": {
    type: "string",
    summary:
      "The domain of the group: the project's, or that of a third-party kind. Absent for built-in kinds.",
    setBy: "create api --external-domain",
  },
  "resources[].version": { type: "string", summary: "The API version.", setBy: "create api --version" },
  "resources[].kind": { type: "string", summary: "The kind.", setBy: "create api --kind" },
  "resources[].plural": {
    type: "string",
    summary: "The name of the resource in URLs.",
    setBy: "create api --plural",
  },
  "resources[].singular": {
    type: "string",
    summary: "The singular name for kubectl. Default: the kind in lower case.",
    setBy: "create api --singular",
  },
  "resources[].shortNames": {
    type: "list",
    summary: "Short names for kubectl.",
    setBy: "create api --short-name",
  },
  "resources[].categories": {
    type: "list",
    summary: "Categories for kubectl get, such as all.",
    setBy: "create api --category",
  },
  "resources[].api": { type: "mapping", summary: "The project defines the kind, and has its CRD." },
  "resources[].api.crdVersion": { type: "string", summary: "Version of the CRD's own API: v1." },
  "resources[].api.namespaced": {
    type: "boolean",
    summary: "Objects of the kind are in namespaces.",
    setBy: "create api --namespaced",
  },
  "resources[].template": {
    type: "mapping",
    summary: "The kind's types and controller are those of a reference operator.",
    setBy: "create api --template",
  },
  "resources[].template.name": { type: "string", summary: "Name of the reference operator." },
  "resources[].template.OPTION": {
    type: "string",
    summary: "An option of the reference operator, such as its image.",
    setBy: "create api --image",
  },
  "resources[].core": { type: "boolean", summary: "A built-in kind." },
  "resources[].external": { type: "boolean", summary: "A third-party kind." },
  "resources[].path": {
    type: "string",
    summary: "The npm package or the file from which the types of a third-party kind are imported.",
    setBy: "create api --external-module, create api --crd",
  },
  "resources[].controllers": {
    type: "list",
    summary: "The controllers of the kind.",
    setBy: "create api --controller",
  },
  "resources[].controllers[].name": {
    type: "string",
    summary: "The controller's name in logs and metrics.",
    setBy: "create api --controller-name",
  },
  "resources[].webhooks": { type: "mapping", summary: "The kind's webhooks.", setBy: "create webhook" },
  "resources[].webhooks.webhookVersion": {
    type: "string",
    summary: "Version of the webhook configurations' API: v1.",
  },
  "resources[].webhooks.defaulting": {
    type: "boolean",
    summary: "There is a defaulting webhook.",
    setBy: "create webhook --defaulting",
  },
  "resources[].webhooks.validation": {
    type: "boolean",
    summary: "There is a validating webhook.",
    setBy: "create webhook --programmatic-validation",
  },
  "resources[].webhooks.conversion": {
    type: "boolean",
    summary: "This version is the hub of a conversion webhook.",
    setBy: "create webhook --conversion",
  },
  "resources[].webhooks.spoke": {
    type: "list",
    summary: "The versions that are converted to and from the hub.",
    setBy: "create webhook --spoke",
  },
  "resources[].webhooks.defaultingPath": {
    type: "string",
    summary: "URL path of the defaulting webhook, if it is not the usual one.",
    setBy: "create webhook --defaulting-path",
  },
  "resources[].webhooks.validationPath": {
    type: "string",
    summary: "URL path of the validating webhook, if it is not the usual one.",
    setBy: "create webhook --validation-path",
  },
  plugins: {
    type: "mapping",
    summary: "Third-party plugins by key. Settings of plugins of other tools are kept.",
    setBy: "edit --plugins",
  },
  "plugins.KEY": { type: "mapping", summary: "What tsbuilder knows about a plugin." },
  "plugins.KEY.package": { type: "string", summary: "The npm package that is the plugin." },
  "plugins.KEY.executable": { type: "boolean", summary: "The plugin is a program instead of a package." },
  "plugins.KEY.options": { type: "mapping", summary: "The plugin's own options for the project." },
  "plugins.KEY.resources": { type: "list", summary: "The kinds that the plugin contributes to." },
  "plugins.KEY.resources[].group": { type: "string", summary: "The group of such a kind." },
  "plugins.KEY.resources[].domain": { type: "string", summary: "The domain of the group." },
  "plugins.KEY.resources[].version": { type: "string", summary: "The version of the kind." },
  "plugins.KEY.resources[].kind": { type: "string", summary: "The kind." },
  "plugins.KEY.resources[].options": { type: "mapping", summary: "The plugin's own options for the kind." },
};
