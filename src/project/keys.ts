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
  version: key("string", "Schema version of the file, the same as kubebuilder's: 3."),
  cliVersion: key("string", "The version of tsbuilder that scaffolded the project.", "upgrade"),
  domain: key("string", "Domain suffix of the API groups.", "init --domain"),
  projectName: key(
    "string",
    "Name of the project, and prefix of the objects of its deployment.",
    "init --project-name",
  ),
  layout: key(
    "list",
    "typescript.tsbuilder.dev/v1, and the keys of plugins that apply to the whole project.",
    "init --plugins, edit --plugins",
  ),
  multigroup: key(
    "boolean",
    "A folder for each API group: api/GROUP/VERSION instead of api/VERSION.",
    "edit --multigroup",
  ),
  namespaced: key(
    "boolean",
    "The operator watches one namespace, with a Role instead of a ClusterRole.",
    "edit --namespaced",
  ),
  license: key(
    "apache2, copyright, none or file",
    "The header of source files; file is that of --license-file.",
    "edit --license",
  ),
  owner: key("string", "Copyright owner in that header.", "edit --owner"),
  namespaces: key(
    "list",
    "The namespaces that a namespaced operator watches instead of its own.",
    "edit --namespaces",
  ),
  features: key(
    "list",
    "Enabled features of the deployment; they are listed below.",
    "edit --enable, edit --disable",
  ),
  resources: key(
    "list",
    "The kinds that the project defines or uses, each version an item.",
    "create api, create webhook",
  ),
  "resources[].group": key("string", "The API group without the domain.", "create api --group"),
  "resources[].domain": key(
    "string",
    "The domain of the group: the project's, or that of a third-party kind. Absent for built-in kinds.",
    "create api --external-domain",
  ),
  "resources[].version": key("string", "The API version.", "create api --version"),
  "resources[].kind": key("string", "The kind.", "create api --kind"),
  "resources[].plural": key("string", "The name of the resource in URLs.", "create api --plural"),
  "resources[].singular": key(
    "string",
    "The singular name for kubectl. Default: the kind in lower case.",
    "create api --singular",
  ),
  "resources[].shortNames": key("list", "Short names for kubectl.", "create api --short-name"),
  "resources[].categories": key("list", "Categories for kubectl get, such as all.", "create api --category"),
  "resources[].api": key("mapping", "The project defines the kind, and has its CRD."),
  "resources[].api.crdVersion": key("string", "Version of the CRD's own API: v1."),
  "resources[].api.namespaced": key(
    "boolean",
    "Objects of the kind are in namespaces.",
    "create api --namespaced",
  ),
  "resources[].template": key(
    "mapping",
    "The kind's types and controller are those of a reference operator.",
    "create api --template",
  ),
  "resources[].template.name": key("string", "Name of the reference operator."),
  "resources[].template.OPTION": key(
    "string",
    "An option of the reference operator, such as its image.",
    "create api --image",
  ),
  "resources[].core": key("boolean", "A built-in kind."),
  "resources[].external": key("boolean", "A third-party kind."),
  "resources[].path": key(
    "string",
    "The npm package or the file from which the types of a third-party kind are imported.",
    "create api --external-module, create api --crd",
  ),
  "resources[].controllers": key("list", "The controllers of the kind.", "create api --controller"),
  "resources[].controllers[].name": key(
    "string",
    "The controller's name in logs and metrics.",
    "create api --controller-name",
  ),
  "resources[].controllers[].owns": key(
    "list",
    "The built-in kinds that the controller creates and watches: apps/v1/Deployment.",
    "create api --owns",
  ),
  "resources[].webhooks": key("mapping", "The kind's webhooks.", "create webhook"),
  "resources[].webhooks.webhookVersion": key("string", "Version of the webhook configurations' API: v1."),
  "resources[].webhooks.defaulting": key(
    "boolean",
    "There is a defaulting webhook.",
    "create webhook --defaulting",
  ),
  "resources[].webhooks.validation": key(
    "boolean",
    "There is a validating webhook.",
    "create webhook --programmatic-validation",
  ),
  "resources[].webhooks.conversion": key(
    "boolean",
    "This version is the hub of a conversion webhook.",
    "create webhook --conversion",
  ),
  "resources[].webhooks.spoke": key(
    "list",
    "The versions that are converted to and from the hub.",
    "create webhook --spoke",
  ),
  "resources[].webhooks.defaultingPath": key(
    "string",
    "URL path of the defaulting webhook, if it is not the usual one.",
    "create webhook --defaulting-path",
  ),
  "resources[].webhooks.validationPath": key(
    "string",
    "URL path of the validating webhook, if it is not the usual one.",
    "create webhook --validation-path",
  ),
  plugins: key(
    "mapping",
    "Third-party plugins by key. Settings of plugins of other tools are kept.",
    "edit --plugins",
  ),
  "plugins.KEY": key("mapping", "What tsbuilder knows about a plugin."),
  "plugins.KEY.package": key("string", "The npm package that is the plugin."),
  "plugins.KEY.executable": key("boolean", "The plugin is a program instead of a package."),
  "plugins.KEY.options": key("mapping", "The plugin's own options for the project."),
  "plugins.KEY.resources": key("list", "The kinds that the plugin contributes to."),
  "plugins.KEY.resources[].group": key("string", "The group of such a kind."),
  "plugins.KEY.resources[].domain": key("string", "The domain of the group."),
  "plugins.KEY.resources[].version": key("string", "The version of the kind."),
  "plugins.KEY.resources[].kind": key("string", "The kind."),
  "plugins.KEY.resources[].options": key("mapping", "The plugin's own options for the kind."),
};

function key(type: string, summary: string, setBy?: string): ProjectKey {
  return { type, summary, ...(setBy === undefined ? {} : { setBy }) };
}
