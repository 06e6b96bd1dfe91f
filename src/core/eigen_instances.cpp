#include "speder/core/eigen_instances.hpp"

namespace Eigen {

template class BDCSVD<MatrixXd>;
template class JacobiSVD<MatrixXd>;
template class SelfAdjointEigenSolver<MatrixXd>;
template SelfAdjointEigenSolver<MatrixXd>& SelfAdjointEigenSolver<MatrixXd>::compute(
    const EigenBase<MatrixXd>&, int);
template class HouseholderQR<MatrixXd>;
template class ColPivHouseholderQR<MatrixXd>;
template class PartialPivLU<MatrixXd>;
template class PartialPivLU<RowMajorXd>;

}  // namespace Eigen
