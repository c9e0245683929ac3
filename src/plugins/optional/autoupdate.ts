import type { PluginDefinition, ProjectInput } from "../contract/define-plugin.ts";

/** A workflow of GitHub that proposes upgrades as pull requests. */
export const autoupdate: PluginDefinition = {
  key: "autoupdate.tsbuilder.dev/v1",
  summary: "a GitHub workflow that runs tsbuilder upgrade each week and opens a pull request",
  flags: {
    "update-from": {
      type: "string",
      summary:
        "where npm finds the newest tsbuilder: the URL of a tarball, a git repository, or a package of your own scope. It is not on npm's registry yet, where others could own its name",
      placeholder: "SPEC",
      commands: ["init", "edit"],
      // No user in a URL: the password would be committed. By SSH, a workflow has no key.
      pattern:
        /^(?:(?:git\+)?https:\/\/[\w.:-]+\/[\w@:/.+#~=?&%-]+|github:[\w@:/.+#~=?&%-]+|@[\w.-]+\/[\w.-]+(?:@[\w.-]+)?)$/,
      required: true,
    },
  },
  init: ({ options }: ProjectInput) => ({
    files: [{ path: ".github/workflows/upgrade.yml", content: workflow(String(options["update-from"])) }],
  }),
};

/** The workflow; `source` is where npm finds the newest tsbuilder. */
const workflow = (source: string): string => `name: Upgrade

# Opens a pull request once there is a newer tsbuilder, and renews it each week while it is open. In the settings of the
# repository, GitHub Actions must be allowed to create pull requests. Checks of a pull request that a workflow opened
# start when somebody closes and reopens it, unless GH_TOKEN is a token of a person or an app.
on:
  schedule:
    - cron: "17 5 * * 1"
  workflow_dispatch:

permissions: {}

concurrency:
  group: upgrade

jobs:
  upgrade:
    runs-on: ubuntu-24.04
    timeout-minutes: 30
    permissions:
      contents: write # the branch
      pull-requests: write # the pull request
    steps:
      - uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0
        with:
          # Earlier upgrades are in the history.
          fetch-depth: 0
          persist-credentials: false
      - uses: actions/setup-node@49933ea5288caeca8642d1e84afbd3f7d6820020 # v4.4.0
        with:
          node-version: 24
      - run: npm ci
      - run: |
          git config user.name "github-actions[bot]"
          git config user.email "41898282+github-actions[bot]@users.noreply.github.com"
      # The token of a workflow may not push changes of workflows: upgrade those by hand.
      # Git gets the token only here: the scripts of packages have run.
      - run: |
          gh auth setup-git
          npm exec --yes --package="\${NEWEST}" -- tsbuilder upgrade --pull-request --restore-path .github/workflows
        env:
          NEWEST: ${JSON.stringify(newest(source))}
          GH_TOKEN: \${{ github.token }}
`;

/** npm exec runs an installed package of any version unless a version is named. */
const newest = (source: string): string => (/^@[^/]+\/[^@]+$/.test(source) ? `${source}@latest` : source);
