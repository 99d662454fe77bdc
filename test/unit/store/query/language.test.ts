import { describe, expect, it } from 'vitest';
import { foreignLanguageOf } from '../../../../src/store/search/query/language.ts';

describe('the language of a question', () => {
  it.each([
    ['wie wirkt sich die Volatilität auf den Preis von Optionen aus', 'German'],
    ['Prognose der Volatilität mit neuronalen Netzen für den Aktienmarkt', 'German'],
    ['wie bewertet man amerikanische Optionen', 'German'],
    ['cómo se calcula el riesgo de una cartera', 'Spanish'],
    ['Cálculo rápido de la exposición', 'Spanish'],
    ['calcul rapide de la valeur', 'French'],
    ['Zerlegung gerichteter Netzwerke in zirkuläre und azyklische Flüsse', 'German'],
    ['¿Saldrá Kraken a bolsa en 2025?', 'Spanish'],
    ['¿Cómo afecta el tipo de interés?', 'Spanish'],
    ['tipo de interés', 'Spanish'],
    ['¿Compensa la gestión activa e indexada?', 'Spanish'],
    ['le retour à la moyenne', 'French'],
    ['subida de tipos de la Fed', 'Spanish'],
    ['comment peut-on couvrir une option', 'French'],
    ['comment mesurer le risque de crédit dans une banque', 'French'],
    ['come si misura il rischio di credito delle banche', 'Italian'],
    ['previsão da volatilidade com redes neurais para os mercados', 'Portuguese'],
    ['如何预测波动率', 'Chinese'],
    ['ボラティリティの予測', 'Japanese'],
    ['как прогнозировать волатильность', 'Russian'],
  ])('%s', (text, language) => {
    expect(foreignLanguageOf(text)).toBe(language);
  });

  it.each([
    'how should a dealer set quotes while keeping inventory under control',
    'de Finetti dividends and the Gerber-Shiu function',
    'does the DAX or the CAC 40 lead the IBEX',
    'El Niño and crop prices in Las Vegas',
    'Itô calculus, Lévy processes',
    'α-stable noise and σ estimation',
    'a la carte pricing',
    'Lévy processes à la Heston',
    'de facto and de jure exchange rate regimes',
    'de la Peña inequality for option bounds',
    'Gómez-Cram et al. on growth forecasts',
    'sin taxes and sin stocks',
    'e-money and e-commerce',
    'los angeles las vegas housing',
    'jel codes e44 e52',
    'hat matrix and bin width in regression',
    'why did the one-man fund hat trick fail',
    'ES and VaR of HAN models',
    '',
  ])('is taken for English: "%s"', (text) => {
    expect(foreignLanguageOf(text)).toBeNull();
  });
});
