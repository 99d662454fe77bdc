/**
 * Letters that follow two letters inside the words of 7,000 scientific abstracts, `.` for the end of
 * a word: "abeil" stands for the trigrams abe, abi and abl. Trigrams of fewer than three rare
 * words are left out. What contains another trigram is hardly a word.
 */
const FOLLOWERS = `
  ab.abeilnorsu ac.acehikloqrtuy ad.adehijlmorstuvy ae.mr afefiot ag.aegilmnorsu ahe aicdglmnrstv
  ajeo ak.adeils al.abcdefgiklmoprstuvwy am.abeilmopsuy an.acdegiknostuyz aorst ap.aehilopstuy aqu
  ar.abcdegiklmnoprstvy as.acehikmopstuy at.acefhilmorstuz aucdglmnrstx avaeioy aw.adfikns ax.aeio
  ay.beimos azaeio babcilnrsty bbl bclo bdao be.acdefghilnrsty bgr biacdefglmnopqrstv bje blaeiouy
  bmio bno bo.adlnoprstuvx br.aeiouy bs.cdeiot bt.al bubdfilmnrsty by.p ca.bcdefglmnprstuvy
  ccaeiou ce.abdeilmnprstuw ch.aeilmnoruy ci.abcdeflnoprst ck.abcegilnopstw claeiouy
  coabcdefghilmnoprstuvx cqu craeiouy cs. ct.aeilnorsu cubeilmoprst cy.abchlmst da.beilmnprstuy
  dbao ddeilrs de.abcdefghlmnopqrstuvx dfo dgeim dhe diabcdefglmnoprstuvz djou dleiy dmi dne
  docdeglmnoprstuwx dpo draeiou ds.ci dth duacelnprs dvaei dwaio dy.ilns ea.bcdfgklmnrstv ebaiorty
  ecaehiklortuy ed.abdefgilnosuy ee.cdiklmnprstx ef.aefilorsu egaeilmnoruy ehaeioy ei.cglmnortv
  eje ek.eils el.adefilmopstuvy em.abeimnopsuy en.acdefghilorstuvyz eoabcdfgilmnprstuv
  ep.aehilorstu equ er.abcdefghilmnoprstuvwy es.acehinopstuy et.acehiorstuwy eucdkmprst evaeio
  ew.aeilnops ex.acehioptu ey.enos faciklmnrstuv fe.acdelmnrstw ff.eilosu fi.abcdeglnrstvx
  flaeiouy foclorsu fraeiou fs.e ft.eis fuelnrstz fy.i gabgiklmnprstu ge.abdlmnorstuv gfu ggeilr
  gh.belnot giabcdelmnostv glaeiouy gm.aes gn.aeimos go.acdeilmnorstuv graeio gs.it gth guaeilmors
  gy.n ha.bdegilmnoprstuvwz hbo hca hdr he.acdeilmnoprstuxy hfu hiabcdefglmnoprst hleioy hm.aeis
  hneio hobcdgilmnoprstuw hraeio hs. ht.efilstw hubgmnrst hwai hy.bdlmprst ia.bceglmnprstz
  ib.aeiloru ic.aehiklorstuy id.adegilopstuy ie.cdflnrstvw ifaefiortuy igaeghilmnoru iho ikei
  il.adeilmostuy im.abeimopsu in.abcdefghijklmnopstuvy io.abcdefgilmnprstuvx ip.aehiloprstu iqu
  ir.acdeilmnorstuwy is.acdefhiklmoprstuy it.acefhilnorstuy iumrs ivaeio ix.eit izaeiou jec joir
  judgmnrsv kabghr kbao kch kdo ke.dehlmnrstwy kfl kgr kielnp kley kme kneo kocuv kpo kru ks. kte
  kur kwa ky. la.bcdegimnprstuvwxy lbeiu lcehiou ld.eios le.acdegilmnoprstuvx lf.aio lgeo
  li.abcdefghkmnopqrstuvz lk.i ll.abeimosuy lm.eios lne lo.abcdgilmnoprstuvwy lp.hors lre ls.eiot
  lt.aehirsuy luabcdeilmnorstx lvaei lwa ly.acimnpstuz ma.bcdgijklmnprstxz mb.adeiloru
  me.acdefglmnorstw mfou miacdeglmnoprstuxz mleiy mmaeiou mnei mobcdgiklmnoprstuvz mp.aehilorstu
  ms.et muclmnrst mve my.celor na.bcdegilmnprstv nbio ncaehilortuy nd.aeiloprsuwy
  ne.acdefgilmnopqrstuvwxy nfaeiloru ng.aefilorstu nhaeio niabcdefglmnopqstuvz njeu nk.aeinrs
  nlaeioy nmaeu nnaeiou no.abcdfghilmnprstuvw nparu nqu nraeio ns.acdefghilmoptuwy nt.aehilorsuwy
  nu.acefilmorstu nvaeio nwai ny.lm nzay oa.cdglnrst obaeijlostu ocacehiklortuy od.adeiorsuy
  oeacfnpsx of.aefilost og.aeilnorsuy oheio oicdelmnrst oje ok.abeis ol.adeilostuvy om.abeilmnopsy
  on.acdefgijlmnoprstuvwy oodfklnprst op.aehilmoprstuy oqu or.abcdeghiklmnoprstuwy os.aceikmopstuy
  ot.aehioprstuy oubglnprst ov.aeiou ow.acdeilmnst ox.aeiy oy.eilms ozeoy pabcgilmnpqrstuvy pco
  pda pe.acdelnoprstu ph.aeiorsy piacdegklnoprstv plaeiouy pme pneo poacdgiklmnoprstuvwx ppaeilor
  praeiou ps.ehiotuy pt.acehiosuy publmnrstz pwa py.r quaeio ra.bcdefgijlmnoprstuvwy rb.aeiosu
  rcaehiotu rd.aeilosw re.abcdefghijlmnopqrstuvwx rfaeilou rgaeilouy rhaeoy ri.abcdefgklmnopstuvxz
  rk.aefios rladeioy rm.aefilosu rn.aeimos ro.abcdefghijklmnoprstuvwxyz rp.aehilortu rraehiouy
  rs.acehioptu rt.aefghilmnorsuy ruabcdegilmnpst rvaeio rwaeir ry.ilnopst sa.bcdfgilmnprstvy
  scaehiloru sdeiu se.acdefghilmnpqrstuvx sfaeiouy sge sh.aeimoru siabcdefglmnoprstvxz sk.eilmsy
  slaeioy sm.aeios sn.ae so.cdfilmnprstuv spaehiloru squ sreu ss.aefilmopu st.abehilmnoprstuwy
  suabcdefgilmnprs swaei sy.clmns ta.bcefgiklmnoprstuxyz tber tchoy te.abcdegilmnoprstx tfao tga
  th.acdefilmnorsuwy ti.abcdefglmnoprstvz tleioy tm.aeo tne to.acdefgiklmnoprstuwxz tpaersu
  traeiouy ts.eit ttaeilpr tuabdeilmnprst twaeio ty.lpr tz. uabdglnrst ub.abcdegijlmnopstu
  ucacehilotu ud.degiouy ue.dlnprs ufaf ug.aeghim uicdlnprstv ukaeo ul.acdefilmnopstu
  um.abeimopsuv unabcdefghiklmnoprstw uolrtu up.acdeiloprstw ur.abcdefgilnoprstvy us.acehilnpstu
  ut.abcehiloprstu uum uvae ux.i uyi uzz vabcdgilnrstu ve.acdgilmnrsxy viacdeglnorstv vociklnrtu
  vul vy. wabgilnprstvy wca wd.o weadeilrsv wfu whaeio wicdlnrst wke wley wme wn.eirsw womru wpo
  wrio ws. wth xacmnt xcehil xecdmnrs xhai xiabcdeflmnost xocgnst xpaeilor xt.aersu xua xy.gls
  yadn ybaer ycaehilo ydr yeadelrs ygeo yho yien yl.aceiopt ymabeimop ynacdegotu yocfgnpstu
  ypaehilort yraio ys.aefimopt ytaehio yzei zabrt ze.dnprs zidn zle zoalnp zum zy.gm zzly`;

const TRIGRAMS = new Set(
  FOLLOWERS.trim()
    .split(/\s+/)
    .flatMap((entry) => [...entry.slice(2)].map((letter) => entry.slice(0, 2) + letter)),
);

/** Whether all trigrams of a word in lower case, its end included, are those of English words. */
export function looksEnglish(word: string): boolean {
  const closed = `${word}.`;
  for (let at = 0; at <= closed.length - 3; at += 1) {
    if (!TRIGRAMS.has(closed.slice(at, at + 3))) return false;
  }
  return true;
}
