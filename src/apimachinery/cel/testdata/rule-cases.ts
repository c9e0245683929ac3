import type { JSONSchema, ValidationRule } from "../../schema/json-schema.ts";

/** A schema with a value of every type that rules can see. */
export const schema: JSONSchema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      required: ["name"],
      properties: {
        name: { type: "string", maxLength: 20 },
        text: { type: "string" },
        count: { type: "integer", minimum: 0 },
        ratio: { type: "number" },
        on: { type: "boolean" },
        port: { "x-kubernetes-int-or-string": true },
        when: { type: "string", format: "date-time" },
        day: { type: "string", format: "date" },
        span: { type: "string", format: "duration" },
        data: { type: "string", format: "byte" },
        maybe: { type: "string", nullable: true },
        kind: { type: "string", enum: ["Small", "Large"] },
        names: { type: "array", maxItems: 10, items: { type: "string", maxLength: 10 } },
        numbers: { type: "array", items: { type: "integer" } },
        doubles: { type: "array", maxItems: 5, items: { type: "number" } },
        set: { type: "array", "x-kubernetes-list-type": "set", maxItems: 5, items: { type: "string", maxLength: 5 } },
        items: {
          type: "array",
          maxItems: 4,
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["key"],
          items: {
            type: "object",
            required: ["key"],
            properties: { key: { type: "string", maxLength: 8 }, value: { type: "integer" }, tags: { type: "array", maxItems: 3, items: { type: "string", maxLength: 6 } } },
          },
        },
        labels: { type: "object", maxProperties: 5, additionalProperties: { type: "string", maxLength: 10 } },
        open: { type: "object", additionalProperties: { type: "string" } },
        nested: { type: "object", properties: { a: { type: "object", properties: { b: { type: "integer" } } } } },
        any: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        "a-b.c/d": { type: "string" },
        namespace: { type: "string" },
        __x: { type: "string" },
      },
    },
  },
};

/** An object that fits the schema. */
export const object = {
  apiVersion: "example.com/v1",
  kind: "Thing",
  metadata: { name: "thing" },
  spec: {
    name: "abc",
    text: "the quick brown fox",
    count: 3,
    ratio: 1.5,
    on: true,
    port: "http",
    when: "2024-05-01T12:00:00Z",
    day: "2024-05-01",
    span: "1h30m",
    data: "aGVsbG8=",
    maybe: null,
    kind: "Small",
    names: ["a", "bb", "ccc"],
    numbers: [3, 1, 2],
    doubles: [0.5, 2],
    set: ["x", "y"],
    items: [
      { key: "one", value: 1, tags: ["t"] },
      { key: "two", value: 2 },
    ],
    labels: { app: "web", tier: "front" },
    open: { k: "v" },
    nested: { a: { b: 7 } },
    any: { z: 1 },
    "a-b.c/d": "dashed",
    namespace: "ns",
    __x: "under",
  },
};

/** What it was before. */
export const old = {
  ...object,
  spec: { ...object.spec, count: 2, set: ["y", "x"], items: object.spec.items.toReversed() },
};

const texts = String.raw`
true
false
self.spec.count > 0
self.spec.count >= 0 && self.spec.count < 10
self.spec.name == 'abc'
self.spec.name != self.spec.text
self.metadata.name == 'thing'
self.metadata.generateName == ''
self.kind + self.apiVersion == 'x'
has(self.spec.text)
has(self.spec.nested.a)
has(self.spec.nested) && has(self.spec.nested.a) && self.spec.nested.a.b == 7
!has(self.spec.unset)
self.spec.unknown == 1
self.spec.count == '3'
self.spec.count + 1 == 4
self.spec.count * 2 - 1 == 5
self.spec.count / 2 == 1 && self.spec.count % 2 == 1
self.spec.ratio > 1.0
self.spec.ratio > 1
self.spec.count > 1.5
self.spec.on
self.spec.on == true
!self.spec.on || self.spec.count > 2
self.spec.port == 'http'
self.spec.port == 80
self.spec.port > 80
type(self.spec.port) == string
type(self.spec.port) == int ? self.spec.port < 1000 : self.spec.port.startsWith('h')
self.spec.when > timestamp('2024-01-01T00:00:00Z')
self.spec.when.getFullYear() == 2024
self.spec.day.getMonth() == 4
self.spec.when - self.spec.day == duration('12h')
self.spec.span == duration('90m')
self.spec.span < duration('2h')
self.spec.span.getHours() == 1
self.spec.data == b'hello'
string(self.spec.data) == 'hello'
size(self.spec.data) == 5
has(self.spec.maybe)
self.spec.maybe == 'x'
self.spec.kind in ['Small', 'Large']
self.spec.kind == 'Small'
self.spec.names.size() == 3
size(self.spec.names) > 0
self.spec.names[0] == 'a'
self.spec.names[5] == 'a'
self.spec.names.all(x, x.size() > 0)
self.spec.names.exists(x, x == 'bb')
self.spec.names.exists_one(x, x.startsWith('c'))
self.spec.names.map(x, x + '!') == ['a!', 'bb!', 'ccc!']
self.spec.names.map(x, size(x) > 1, x) == ['bb', 'ccc']
self.spec.names.filter(x, x != 'a').size() == 2
self.spec.names.all(x, self.spec.names.exists(y, x == y))
self.spec.numbers.all(x, x > 0)
self.spec.numbers.all(x, self.spec.numbers.all(y, x + y > 0))
self.spec.numbers.sum() == 6
self.spec.numbers.max() == 3
self.spec.numbers.min() == 1
self.spec.numbers.isSorted()
self.spec.numbers.indexOf(2) == 2
self.spec.numbers.lastIndexOf(9) == -1
self.spec.names.isSorted()
self.spec.names.max() == 'ccc'
self.spec.doubles.sum() == 2.5
self.spec.names.join(',') == 'a,bb,ccc'
self.spec.names.join() == 'abbccc'
self.spec.names + ['d'] == ['a', 'bb', 'ccc', 'd']
'a' in self.spec.names
self.spec.set == ['y', 'x']
self.spec.set + ['z'] == ['x', 'y', 'z']
self.spec.set.all(x, x in ['x', 'y', 'z'])
self.spec.items.all(i, i.value > 0)
self.spec.items.all(i, has(i.tags))
self.spec.items.exists(i, has(i.tags) && i.tags.exists(t, t == 't'))
self.spec.items.map(i, i.key) == ['one', 'two']
self.spec.items.filter(i, i.key == 'one')[0].value == 1
self.spec.items[0].tags[0] == 't'
self.spec.items.all(i, i.key.matches('^[a-z]+$'))
self.spec.items[0].key + self.spec.items[1].key == 'onetwo'
self.spec.labels['app'] == 'web'
self.spec.labels.app == 'web'
'app' in self.spec.labels
has(self.spec.labels.app)
self.spec.labels.all(k, k.size() > 2)
self.spec.labels.all(k, self.spec.labels[k] != '')
self.spec.labels.exists(k, k == 'app' && self.spec.labels[k] == 'web')
self.spec.labels.size() == 2
self.spec.labels['none'] == 'x'
self.spec.open.all(k, self.spec.open[k].size() < 10)
self.spec.open.map(k, k) == ['k']
self.spec.labels.all(k, v, k != v)
self.spec.names.all(i, v, i >= 0 && v != '')
self.spec.names.transformList(i, v, v + string(i)) == ['a0', 'bb1', 'ccc2']
self.spec.labels.transformMap(k, v, v.size())['app'] == 3
self.spec.labels.transformMapEntry(k, v, {v: k})['web'] == 'app'
self.spec.names.existsOne(i, v, v == 'a')
self.spec.text.startsWith('the')
self.spec.text.endsWith('fox')
self.spec.text.contains('quick')
self.spec.text.contains(self.spec.name)
self.spec.text.matches('^the .* fox$')
self.spec.text.matches('[')
self.spec.text.matches(self.spec.name)
self.spec.text.size() == 19
self.spec.text.split(' ').size() == 4
self.spec.text.split(' ', 2)[1] == 'quick brown fox'
self.spec.text.split(' ').map(w, w.substring(0, 1)).join('') == 'tqbf'
self.spec.text.replace('quick', 'slow') == 'the slow brown fox'
self.spec.text.replace('o', '0', 1) == 'the quick br0wn fox'
self.spec.text.replace('', '-') != ''
self.spec.name.upperAscii() == 'ABC'
self.spec.text.indexOf('quick') == 4
self.spec.text.lastIndexOf('o') == 17
self.spec.text.substring(4, 9) == 'quick'
self.spec.text.charAt(0) == 't'
self.spec.text.trim() == self.spec.text
self.spec.text.find('[a-z]+') == 'the'
self.spec.text.findAll('[a-z]+').size() == 4
self.spec.text.findAll('[a-z]+', 2) == ['the', 'quick']
'%s-%d'.format([self.spec.name, self.spec.count]) == 'abc-3'
strings.quote(self.spec.name) == '"abc"'
self.spec.text < 'z'
self.spec.name + self.spec.text == 'x'
self.spec.name + '-' + string(self.spec.count) == 'abc-3'
int('5') == 5
int(self.spec.text) == 5
double(self.spec.count) == 3.0
string(self.spec.ratio) == '1.5'
dyn(self.spec.count) == 3
[1, 2, 3].exists(x, x == self.spec.count)
{'a': 1, 'b': 2}['a'] == 1
{'a': 1}.b == 2
[1, 'a'] == [1, 'a']
self.spec.count == 3 ? self.spec.name == 'abc' : self.spec.text == 'x'
(self.spec.on ? self.spec.names : ['z']).size() == 3
self.spec.nested.a.b == 7
self.spec.any == self.spec.any
self.spec.any.z == 1
self.spec.a__dash__b__dot__c__slash__d == 'dashed'
self.spec.__namespace__ == 'ns'
self.spec.__underscores__x == 'under'
self.spec.namespace == 'ns'
self.spec == self.spec
self.spec.?text.hasValue()
self.spec.?unset.hasValue()
self.spec.?text.orValue('none') == 'none'
self.spec.?nested.?a.?b.orValue(0) == 7
self.spec.labels[?'none'].orValue('d') == 'd'
self.spec.names[?9].hasValue()
self.spec.?text.optMap(t, t.size()).orValue(0) == 19
self.spec.?text.optFlatMap(t, optional.of(t)).hasValue()
optional.of(self.spec.count).value() == 3
optional.none().orValue(1) == 1
optional.ofNonZeroValue(self.spec.count).hasValue()
[?self.spec.?text, 'x'].size() == 2
self.spec.?labels.?app.or(optional.of('x')).value() == 'web'
oldSelf.spec.count <= self.spec.count
self.spec.set == oldSelf.spec.set
self.spec.items == oldSelf.spec.items
self.spec.names == oldSelf.spec.names
self == oldSelf
quantity('1Gi').isGreaterThan(quantity('1M'))
quantity('500m').add(quantity('1')).compareTo(quantity('1.5')) == 0
quantity('1').sub(2).asInteger() == -1
quantity('1.5').isInteger()
quantity('1000m').isInteger()
quantity('1.5').asInteger() == 1
quantity('1k').asApproximateFloat() == 1000.0
isQuantity('1Gib')
quantity(self.spec.name) == quantity('1')
sign(quantity('-1')) == -1
quantity('1') == quantity('1000m')
url('https://user@example.com:8080/a%20b?x=1&x=2&y#z').getHost() == 'example.com:8080'
url('https://example.com:8080/a b').getEscapedPath() == '/a%20b'
url('https://example.com/?x=1&x=2&y').getQuery() == {'x': ['1', '2'], 'y': ['']}
url('https://[::1]:80/').getHostname() == '::1'
url('/path').getScheme() == ''
url('https://example.com:80/').getPort() == '80'
isURL('://')
url(self.spec.text).getHost() == ''
ip('1.2.3.4').family() == 4
ip('::ffff:1.2.3.4').family() == 6
ip('fe80::1').isLinkLocalUnicast()
ip('127.0.0.1').isLoopback() && !ip('8.8.8.8').isLoopback()
ip('224.0.0.1').isLinkLocalMulticast()
ip('0.0.0.0').isUnspecified()
ip('8.8.8.8').isGlobalUnicast()
ip.isCanonical('2001:db8::0001')
ip.isCanonical('127.0.0.1')
isIP('1.2.3')
isIP(self.spec.name)
string(ip('2001:DB8::1')) == '2001:db8::1'
ip('1.2.3.4') == ip('1.2.3.4')
ip(self.spec.name).family() == 4
cidr('10.0.0.0/8').containsIP('10.1.2.3')
cidr('10.0.0.0/8').containsIP(ip('11.1.2.3'))
cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')
cidr('10.1.0.0/16').containsCIDR(cidr('10.0.0.0/8'))
cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8')
cidr('10.1.2.3/8').ip() == ip('10.1.2.3')
cidr('fd00::/8').prefixLength() == 8
string(cidr('10.0.0.0/8')) == '10.0.0.0/8'
isCIDR('10.0.0.0')
cidr(self.spec.name).prefixLength() == 8
!format.dns1123Label().validate(self.spec.name).hasValue()
format.dns1123Label().validate('A').value() == []
format.named('qualifiedName').value().validate('a/b/c').hasValue()
format.uuid().validate('x').orValue([]) == ['does not match the UUID format']
format.dns1123Subdomain() == format.dns1123Subdomain()
semver('1.2.3').isLessThan(semver('1.10.0'))
semver('1.2.3-alpha.1').compareTo(semver('1.2.3')) == -1
semver('v1.2', true).major() == 1
isSemver('1.2') || isSemver('v1.2', true)
semver('1.2.3+b') == semver('1.2.3')
semver(self.spec.name).major() == 1
sets.contains(self.spec.names, ['a'])
sets.equivalent(self.spec.set, ['y', 'x'])
sets.intersects(self.spec.names, ['q'])
[1, 2, 3].slice(0, 2) == [1, 2]
[1, 2].slice(1, 5) == []
[[1], [2, [3]]].flatten() == [1, 2, [3]]
lists.range(3) == [0, 1, 2]
self.spec.numbers.sort() == [1, 2, 3]
self.spec.items.sortBy(i, -i.value)[0].key == 'two'
self.spec.names.distinct().size() == 3
self.spec.names.reverse()[0] == 'ccc'
[1, 2].first().value() == 1
duration('x') == duration('1s')
timestamp('x') < timestamp('2024-01-01T00:00:00Z')
duration(self.spec.name) > duration('1s')
1 / 0 == 1
9223372036854775807 + 1 > 0
uint(3) == 3u
-self.spec.count < 0
self.spec.count.startsWith('a')
self.spec.name.foo()
foo(self.spec.name)
self.spec.names.all(x)
self.spec.names.all(x.y, true)
has(self)
undefined
self.spec.count ==
self.spec.count + + 1
self.spec.name == "abc
self.spec..name
1 + 'a'
'a' * 2
[1, 2
{'a': 1
self.spec.count > 1 &&
self.spec.count = 3
self.spec.count === 3
self.spec.count & 1
self.spec.name.size
self.spec.count
self.spec.name
null
self.spec.maybe == null
self.spec.when == null
math.greatest(1, 2) == 2
cel.bind(x, 1, x == 1)
self.spec.names.map(x, y, z)
self.spec.names.filter(__result__, true)
string(self.spec.port) == 'http'
self.spec.port.size() == 4
self.spec.port + 1 == 2
self.spec.port in ['http']
self.spec.names.exists(x, x > 1)
self.spec.labels.exists(k, v, v == 1)
if true
self.spec.in
self.true
x in [1]
self.spec.names.all(x, x == 'a') || self.spec.names.exists(x, x[0] == 'b')
self.spec.nested.a.c == 1
self.spec.items.all(i, i.nope == 1)
self.spec.count == 3.0
self.spec.ratio == 1
[self.spec.count, self.spec.name] == []
{1: 'a', 'b': 2}.size() == 2
type(self.spec) == type(self.spec)
type(1) == int && type(1u) == uint && type(b'') == bytes && type([]) == list && type({}) == map && type(null) == null_type
dyn([1, 'a'])[0] == 1
self.spec.numbers.map(n, n * n).filter(n, n > 3).exists(n, n == 9)
self.spec.names.map(n, n.size()).sum() == 6
self.spec.items.map(i, i.value).max() == 2
self.spec.items.all(i, self.spec.items.filter(j, i.key == j.key).size() == 1)
self.spec.names.all(n, self.spec.labels.all(k, n != k))
self.spec.?text.orValue(string(1/0)) == 'x'
'%s'.format([self.spec.names]) == '["a", "bb", "ccc"]'
'%s'.format([self.spec.labels]) == 'x'
'%s %s'.format([self.spec.when, self.spec.span]) == 'x'
'%s'.format([[self.spec.when, self.spec.span]]) == 'x'
'%.2f'.format([self.spec.ratio]) == '1.50'
'%f'.format([12345.678]) == '12,345.678000'
'%e'.format([12345.678]) == 'x'
'%d'.format([1234567]) == '1234567'
'%x %X %o %b'.format([255, 255, 8, 5]) == 'ff FF 10 101'
'%s'.format([1.0]) == '1'
'%s'.format([[1.5, true, null, b'x']]) == 'x'
'%s'.format([{'b': 1, 'a': [2]}]) == 'x'
'%d'.format(['a']) == 'x'
'%s %s'.format(['a']) == 'x'
'%s'.format(['a', 'b']) == 'x'
'%z'.format(['a']) == 'x'
'%%'.format([]) == '%'
'%s'.format([self.spec.port]) == 'http'
'%d'.format([self.spec.port]) == 'http'
int('a') == 1
duration('1h') == self.spec.span
quantity('1.0').isInteger()
quantity('1.50').compareTo(quantity('1500m')) == 0
quantity('1e3').asInteger() == 1000
quantity('0.5k').isInteger()
quantity('1Ki').asInteger() == 1024
quantity('0.5Ki').isInteger()
quantity('10').add(5).asInteger() == 15
quantity('1000m').add(quantity('1')).isInteger()
quantity('') == quantity('1')
quantity('1x') == quantity('1')
self.spec.port.startsWith('h')
self.spec.port.foo == 1
self.spec.port[0] == 1
self.spec.port.all(x, x > 1)
self.spec.port && true
!self.spec.port
-self.spec.port == 1
self.spec.port ? true : false
self.spec.port < 'z' && self.spec.port >= 'a'
self.spec.port - 1 == 0
self.spec.port.matches('h')
size(self.spec.port) == 4
int(self.spec.port) == 1
string(self.spec.port) + 'x' == 'httpx'
timestamp(self.spec.port) == self.spec.when
self.spec.ratio / 0.0 > 1.0
self.spec.count % 0 == 1
self.spec.numbers.map(x, x)[10] == 1
{'a': 1}[self.spec.name] == 1
[1,2,3][self.spec.count] == 1
[].max() == 1
self.spec.data + b'x' == b'hellox'
self.spec.text.substring(30) == ''
self.spec.text.charAt(99) == ''
self.spec.text.split('') == []
self.spec.names.indexOf('bb') == 1
self.spec.when + self.spec.span > self.spec.when
self.spec.when.getHours('America/New_York') == 8
self.spec.when.getHours('+02:00') == 14
self.spec.when.getHours('Nowhere/X') == 14
self.spec.when.getDayOfWeek() == 3 && self.spec.when.getDayOfYear() == 121 && self.spec.when.getDate() == 1
string(self.spec.when) == '2024-05-01T12:00:00Z'
string(self.spec.span) == '5400s'
string(duration('-1.5s')) == '-1.5s'
int(self.spec.when) > 0
bool('true') && bool('x')
double('x') == 1.0
self.spec.ratio.isInf
self . spec . count == 3 // comment
 self.spec.count == 3
self.spec.count == 0x3
self.spec.count == 3u
'\u00e9' == 'é'
r'\d' == '\\d'
b'\xff' == b'\377'
self.spec.names.exists(x, y, x == y)
self.spec.names.map(x, x).map(x, x) == self.spec.names
self.spec.names.all(x, x.all(y, y))
self.spec.labels.map(k, self.spec.labels[k]).join('') == 'x'
self.spec.items.all(i, !has(i.tags) || i.tags.all(t, t.size() < 5))
self.spec.items.map(i, i.?tags.orValue([])).filter(t, t.size() > 0).size() == 1
self.spec.items.exists_one(i, i.key == 'one') && self.spec.items.exists_one(i, i.key == 'two')
self.spec.items.map(i, {i.key: i.value})[0] == {'one': 1}
self.spec.items.all(i, i.value < 10 && i.value > 0 || i.key == '')
self.spec.text.split(',').all(x, x.size() > 0)
self.spec.text + self.spec.text + self.spec.text != ''
self.spec.text.replace('a', 'bb').contains('cc')
self.spec.open.all(k, k.matches('^[a-z]$') && self.spec.open[k].matches('^v'))
self.spec.numbers.sort().isSorted()
self.spec.numbers.map(x, string(x)).join('-').matches('1')
self.spec.numbers.filter(x, x in self.spec.numbers).size() == 3
self.spec.open.filter(k, self.spec.open[k] == k).size() == 0
sets.contains(self.spec.numbers, self.spec.numbers)
self.spec.numbers.distinct() == self.spec.numbers
`;

/** The expressions, one rule each. */
export const expressions: readonly string[] = texts.trim().split("\n");

/** The rules of a node, as a CRD holds them. */
export function withRules(rules: readonly ValidationRule[]): JSONSchema {
  return { ...schema, "x-kubernetes-validations": rules };
}
