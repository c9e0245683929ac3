/** Returns the plural of a lower-case kind, as kubebuilder and controller-gen do: `proxy` becomes `proxies`. */
export function pluralize(singular: string): string {
  const { words, plurals, endings } = (rules ??= readRules());
  const known = words.get(singular);
  if (known !== undefined) return known;
  if (plurals.has(singular)) return singular;
  for (const [ending, plural] of endings) {
    if (singular.endsWith(plural)) return singular;
    if (singular.endsWith(ending)) return singular.slice(0, singular.length - ending.length) + plural;
  }
  return singular.endsWith("s") ? singular : `${singular}s`;
}

/**
 * The words and endings of flect 1.0.3, the library with which kubebuilder and controller-gen form plurals. Its errors
 * are included (`octopus` becomes `octupuses`), because the plural is part of an API's URL.
 */
interface Rules {
  readonly words: ReadonlyMap<string, string>;
  /** Words that are plurals already. */
  readonly plurals: ReadonlySet<string>;
  readonly endings: readonly (readonly [string, string])[];
}

let rules: Rules | undefined;

function readRules(): Rules {
  const words = new Map(readPairs(abbreviations));
  const plurals = new Set<string>();
  const endings = readPairs(wordEndings);
  for (const entry of split(irregularWords)) {
    const [, singular = "", mark, plural = "", alternative] =
      /^(\w+)([=!>])(\w+)(?:\/(\w+))?$/u.exec(entry) ?? [];
    words.set(singular, plural);
    if (mark !== ">") plurals.add(plural);
    if (mark !== ">" && alternative !== undefined) plurals.add(alternative);
    if (mark !== "!") endings.unshift([singular, plural]);
  }
  return { words, plurals, endings };
}

/**
 * Words and their plurals; a second plural after `/` is also recognized as a plural. `!`: matches whole words only, not
 * endings. `>`: another word has the same plural. When matching endings, later words take precedence.
 */
const irregularWords = `
aircraft=aircraft beef=beef/beefs bison=bison blues>blues chassis=chassis deer=deer fish=fish/fishes moose=moose
police=police salmon=salmon/salmons series=series sheep=sheep shrimp=shrimp/shrimps species=species
swine=swine/swines trout=trout/trouts tuna=tuna/tunas you=you child=children ox!oxen foot=feet goose=geese man=men
human=humans louse!lice mouse=mice tooth=teeth woman=women die!dice person=people adieu=adieux/adieus
fabliau=fabliaux bureau=bureaus/bureaux criterion=criteria ganglion=ganglia/ganglions lexicon=lexica/lexicons
mitochondrion=mitochondria/mitochondrions noumenon=noumena phenomenon=phenomena taxon=taxa media=media medium>media
stadium=stadiums/stadia aquarium=aquaria/aquariums auditorium=auditoria/auditoriums symposium=symposia/symposiums
curriculum=curriculums/curricula quota=quotas alumnus=alumni/alumnuses bacillus=bacilli cactus=cacti/cactuses
coccus=cocci focus=foci/focuses locus=loci/locuses nucleus=nuclei/nucleuses octopus=octupuses/octopi
radius=radii/radiuses syllabus=syllabi corpus=corpora/corpuses genus=genera alumna=alumnae vertebra=vertebrae
differentia=differentiae minutia=minutiae vita=vitae larva=larvae postcava=postcavae praecava=praecavae uva=uvae
apex=apices/apexes codex=codices/codexes index=indices/indexes latex=latices/latexes vertex=vertices/vertexes
vortex=vortices/vortexes appendix=appendices/appendixes radix=radices/radixes helix=helices/helixes axis!axes
crisis=crises ellipsis>ellipses genesis=geneses oasis=oases thesis=theses testis=testes base=bases basis>bases
alias!aliases vedalia=vedalias use!uses abuse=abuses cause=causes clause=clauses cruse=cruses excuse=excuses
fuse=fuses house=houses misuse=misuses muse=muses pause=pauses ache=aches topaz=topazes buffalo=buffaloes/buffalos
potato=potatoes tomato=tomatoes equipment=equipment information=information jeans=jeans money=money news=news
rice=rice dwarf=dwarfs/dwarves hoof=hoofs/hooves thief=thieves chive=chives hive=hives move=moves movie=movies
cookie=cookies pretorium=pretoriums agenda=agendas formula=formulas/formulae shoe=shoes toe!toes graffiti=graffiti
`;

/** Endings and their plural forms; the first match counts, and a word that already has a plural ending is unchanged. */
const wordEndings = `
tive=tives eaf=eaves oaf=oaves afe=aves arf=arves rfe=rves rf=rves lf=lves fe=ves ay=ays ey=eys oy=oys quy=quies uy=uys
y=ies eau=eaux bula=bulae dula=bulae lula=bulae nula=bulae vula=bulae hedron=hedra ium=ia seum=seums eum=ea oum=oa
stracum=straca dum=da elum=ela ilum=ila olum=ola ulum=ula llum=lla ylum=yla imum=ima ernum=erna gnum=gna brum=bra
crum=cra terum=tera serum=sera trum=tra antum=anta atum=ata entum=enta etum=eta itum=ita otum=ota utum=uta ctum=cta
ovum=ova trix=trices iasis=iases mesis=meses kinesis=kineses resis=reses gnosis=gnoses opsis=opses ysis=yses
ouse=ouses lause=lauses us=uses ch=ches io=ios sh=shes ss=sses ez=ezzes iz=izzes tz=tzes zz=zzes ano=anos lo=los to=tos
oo=oos o=oes x=xes
`;

/**
 * Abbreviations with irregular plurals. For a lower-case one that ends in `s`, flect itself joins both spellings
 * (`dnsDNSes`), which is not a valid name; called as controller-gen calls it, it returns what we return.
 */
const abbreviations = `
aes=aeses bss=bsses cmos=cmoses des=deses dns=dnses eia=eias ess=esses fcs=fcses https=httpses ids=idses ips=ipses
mpls=mplses pots=potses ssh=sshs tia=tias
`;

function readPairs(text: string): [string, string][] {
  return split(text).map((pair) => {
    const [word = "", plural = ""] = pair.split("=");
    return [word, plural];
  });
}

function split(text: string): string[] {
  return text.trim().split(/\s+/u);
}
