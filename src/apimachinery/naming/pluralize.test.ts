import { expect, test } from "vitest";
import { pluralize } from "./pluralize.ts";

/** Recorded from the Go package flect 1.0.3. */
const takeS = `
  a abc123 abuse account acl admiral agenda album alertmanager ansible antenna api apiservice app
  application appservice archive auto automaton backup base belief blouse boy broker bucket budget buy
  camera canoe captain case cause ceph certificate chart chief childresource chive clause cluster
  clusterrole clusterrolebinding cm collector configmap consul controllerrevision cookie course cove crd
  cronjob crossplane cruiser curriculum customresourcedefinition daemonset dapr dashboard database dataset
  datasource datastore day deployment destroyer disk doghouse dogma drama drive dwarf endpoint
  endpointslice envoy etcd event eviction excuse firstmate flannel foo2 footprint formula forum frigate
  fuse gateway geekhouse genie grafana greenhouse grpcroute guy harbor helm helmrelease hive hoe hoof
  horizontalpodautoscaler horse house html http httproute human hydra i id image ip issuer istio jaeger
  job json kafka kangaroo key keycloak knative knowledgebase kustomization lease license lighthouse limit
  limitrange linkerd loki longhorn machine machinedeployment machinepool machineset mariadb matrixaccount
  memcached metric minio misuse mongodb monkey mosquito motto move movie muse museum mysql namespace
  newsfeed node nomad nurse ok organization otel oxbow pause phase photo phrase piano pipeline pizza play
  pod poddisruptionbudget postgresql project proof purchase purse pv pvc queue quota rabbitmq radio rc
  reef referencegrant release replica replicaset resourcequota response restore role rolebinding roof rook
  rookie sailor sc scale schedule schema secret service serviceaccount shard sheepdog shoe snapshot
  sonarqube spacecraft spouse sql stadium statefulset stigma stream studio superhuman survey svc task tcp
  tcproute team tekton template tenant terraform testquota tlsroute toe topic toy udp universe uri url use
  user uuid v1 validatingwebhookconfiguration vault veto virtualmachine volcano volume vpc vpn warehouse
  workflow xml yaml z zombie zoo zookeeper
`;

const stay = `
  aircraft aliases alumnae analyses antrea apis area atlas beef bias bindings bison blues boxes buses
  cacti canvas chassis children christmas classes crds criteria data databases deer dogfish ds endpoints
  equipment es feet fish foci formulae gas gases geese gps graffiti heroes humans idea indexes indices
  information iris jeans jellyfish jenkins k8s keda knives kubernetes lakers larvae leaves lens matrices
  media men metadata metrics mice miniseries money moose ms nats news ns octopi os oxen pancreas people
  persons phenomena police policies postgres potatoes proxies quizzes radii redis rice rs s salmon series
  sheep shrimp sms species starfish stats statuses sts subspecies swine teeth theses timeseries tls trout
  tuna vertices women you
`;

const change = `
  access:accesses addendum:addenda address:addresses alias:aliases alumna:alumnae alumnus:alumni
  analysis:analyses apex:apices appendix:appendices aquarium:aquaria argo:argoes army:armies ax:axes
  axis:axes bacillus:bacilli bacterium:bacteria barefoot:barefeet basis:bases bench:benches blitz:blitzes
  bonus:bonuses boss:bosses box:boxes branch:branches breadbox:breadboxes brush:brushes
  bucketpolicy:bucketpolicies buffalo:buffaloes bus:buses businesswoman:businesswomen busybox:busyboxes
  buzz:buzzes cactus:cacti cafe:caves calf:calves calico:calicoes campus:campuses cargo:cargoes
  casino:casinoes census:censuses chairperson:chairpeople checkbox:checkboxes child:children
  childprocess:childprocesses church:churches cilium:cilia city:cities class:classes codex:codices
  colloquy:colloquies complex:complexes componentstatus:componentstatuses corpus:corpora country:countries
  crash:crashes crisis:crises criterion:criteria datum:data dex:dexes diagnosis:diagnoses dish:dishes
  domino:dominoes dormouse:dormice duplex:duplexes echo:echoes elasticsearch:elasticsearches elf:elves
  eyetooth:eyeteeth fax:faxes fez:fezzes fireman:firemen fizz:fizzes flux:fluxes focus:foci foot:feet
  fox:foxes gatewayclass:gatewayclasses gearbox:gearboxes gentleman:gentlemen genus:genera german:germen
  giraffe:girafves gitrepository:gitrepositories glass:glasses goose:geese grandchild:grandchildren
  half:halves healthcheckpolicy:healthcheckpolicies helix:helices hero:heroes hex:hexes
  hypothesis:hypotheses iampolicy:iampolicies ibex:ibexes inbox:inboxes index:indices ingress:ingresses
  ingressclass:ingressclasses kiss:kisses knife:knives larva:larvae latex:latices leaf:leaves life:lives
  loaf:loaves logo:logoes louse:lice mailbox:mailboxes man:men mass:masses match:matches matrix:matrices
  maximum:maxima medium:media memo:memoes memorandum:memoranda minimum:minima momentum:momenta
  mongoose:mongeese mouse:mice nebula:nebulae networkpolicy:networkpolicies nexus:nexuses nucleus:nuclei
  o:oes ocirepository:ocirepositories octopus:octupuses opensearch:opensearches optimum:optima
  outbox:outboxes ox:oxen party:parties pass:passes patch:patches person:people phenomenon:phenomena
  policy:policies polyhedron:polyhedra potato:potatoes prefix:prefixes priorityclass:priorityclasses
  process:processes progress:progresses prometheus:prometheuses proxy:proxies quantum:quanta quiz:quizzes
  radius:radii radix:radices reflex:reflexes registry:registries repository:repositories
  runtimeclass:runtimeclasses safe:saves salesperson:salespeople sandbox:sandboxes scarf:scarves
  self:selves shelf:shelves simplex:simplexes snowman:snowmen soliloquy:soliloquies spectrum:spectra
  spokesperson:spokespeople ss:sses status:statuses stimulus:stimuluses storageclass:storageclasses
  strife:strives success:successes suffix:suffixes switch:switches syllabus:syllabi synopsis:synopses
  tax:taxes tempo:tempoes textbox:textboxes thesis:theses thief:thieves titmouse:titmice tomato:tomatoes
  toolbox:toolboxes tooth:teeth topaz:topazes tornado:tornadoes velero:veleroes vertebra:vertebrae
  vertex:vertices vex:vexes video:videoes virus:viruses vitess:vitesses vortex:vortices waltz:waltzes
  watch:watches wax:waxes wharf:wharves whiz:whizzes wife:wives wish:wishes wolf:wolves woman:women x:xes
  y:ies
`;

const words = (text: string): string[] => text.trim().split(/\s+/u);

test("pluralize() adds an s to most words", () => {
  for (const word of words(takeS)) expect(pluralize(word)).toBe(`${word}s`);
});

test("pluralize() doesn't change words that are plurals or have none", () => {
  for (const word of words(stay)) expect(pluralize(word)).toBe(word);
});

test("pluralize() changes endings and knows irregular words", () => {
  const pairs = words(change).map((pair) => pair.split(":"));
  expect(pairs.map(([word]) => [word, pluralize(word!)])).toEqual(pairs);
});

test("pluralize() returns a valid name for abbreviations that end in s, unlike flect", () => {
  expect(["dns", "https", "ids", "ips"].map(pluralize)).toEqual(["dnses", "httpses", "idses", "ipses"]);
  expect(pluralize("ssh")).toBe("sshs");
});
